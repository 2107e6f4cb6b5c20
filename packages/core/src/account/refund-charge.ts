import { accept, reject, type Decision } from "../kernel/decider.ts";
import { formatEuros, roundHalfUp, type Cents } from "../money/money.ts";
import type { Totals } from "../pricing/totals.ts";
import type { GrantRefund, RefundCharge, RefundRegistration } from "./account.commands.ts";
import type { AccountEvent } from "./account.events.ts";
import type { OpenAccountState } from "./account.state.ts";
import { isRegistrationCharge, type Charge } from "./charge.ts";
import { correctionOf } from "./documents.ts";

/** Maximum refunds by staff of one charge, because the charge contains each of them. */
export const refundLimit = 100;

/** Returns the unrefunded part of a charge, in cents (EUR). */
export function leftToRefund(charge: Charge): Cents {
  return charge.refundedBy === undefined ? charge.grossCents - grantedCents(charge) : 0n;
}

/** Refunds the charge of a failed order, except for parts that staff refunded before. */
export function refundCharge(
  { type, data }: RefundRegistration | RefundCharge,
  state: OpenAccountState,
): Decision<AccountEvent> {
  const { chargeId, correctionId, reason, at } = data;
  const charge = state.charges.get(chargeId);
  if (charge === undefined) return reject("charge-not-found");
  // Rejects with `charge-conflict`, because after `charge-not-found` the caller would refund nothing.
  if (isRegistrationCharge(charge) !== (type === "RefundRegistration"))
    return reject("charge-conflict", `The command ${type} cannot refund this charge.`);
  const grossCents = leftToRefund(charge);
  if (charge.refundedBy !== undefined || (charge.refunds.length > 0 && grossCents === 0n)) return accept();
  return accept(
    {
      type: type === "RefundRegistration" ? "RegistrationRefunded" : "ChargeRefunded",
      data: {
        chargeId,
        correctionId,
        grossCents: String(grossCents),
        balanceAfterCents: String(state.balanceCents + grossCents),
        reason,
        refundedAt: at,
      },
    },
    correctionOf(data, charge, nextPart(charge, grossCents), state),
  );
}

/** Refunds a charge for staff, fully or partly, up to its unrefunded part. An amount is refunded once for each reason. */
export function grantRefund({ data }: GrantRefund, state: OpenAccountState): Decision<AccountEvent> {
  const { chargeId, amountCents, correctionId, reason, at } = data;
  const charge = state.charges.get(chargeId);
  if (charge === undefined) return reject("charge-not-found");
  if (charge.refunds.some((one) => one.grossCents === amountCents && one.reason === reason)) return accept();
  const left = leftToRefund(charge);
  if (amountCents <= 0n || amountCents > left)
    return reject("validation-failed", `${formatEuros(left)} EUR of the charge are left to refund.`, {
      fieldErrors: { amount: [`must be above zero and at most ${formatEuros(left)}`] },
    });
  if (charge.refunds.length >= refundLimit)
    return reject("validation-failed", `A charge is refunded ${String(refundLimit)} times at most.`);
  return accept(
    {
      type: "RefundGranted",
      data: {
        chargeId,
        correctionId,
        grossCents: String(amountCents),
        balanceAfterCents: String(state.balanceCents + amountCents),
        reason,
        refundedAt: at,
      },
    },
    correctionOf(data, charge, nextPart(charge, amountCents), state),
  );
}

/**
 * Returns the sums of the next partial refund. Its VAT is the rounded VAT of all parts so far minus the VAT of earlier
 * parts. Therefore the parts of a fully refunded charge sum exactly to its invoice.
 */
function nextPart(charge: Charge, grossCents: Cents): Totals {
  const before = charge.grossCents - leftToRefund(charge);
  const vatCents = vatOfFirst(charge, before + grossCents) - vatOfFirst(charge, before);
  const { vatRateBasisPoints } = charge;
  return { netCents: grossCents - vatCents, vatRateBasisPoints, vatCents, grossCents };
}

function vatOfFirst({ vatCents, grossCents }: Charge, cents: Cents): Cents {
  if (grossCents === 0n) return 0n;
  return roundHalfUp({ numerator: vatCents * cents, denominator: grossCents });
}

function grantedCents({ refunds }: Charge): Cents {
  return refunds.reduce((sum, { grossCents }) => sum + grossCents, 0n);
}
