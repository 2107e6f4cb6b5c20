import { accept, reject, type Decision } from "../kernel/decider.ts";
import { formatEuros, roundHalfUp, type Cents } from "../money/money.ts";
import type { Totals } from "../pricing/totals.ts";
import type { GrantRefund, RefundCharge, RefundRegistration } from "./account.commands.ts";
import type { AccountEvent } from "./account.events.ts";
import type { OpenAccountState } from "./account.state.ts";
import { isRegistrationCharge, type Charge } from "./charge.ts";
import { correctionOf } from "./documents.ts";

/** So many refunds staff make of one charge: each is kept with the charge. */
export const refundLimit = 100;

/** What is not returned of a charge yet, in cents (EUR). */
export function leftToRefund(charge: Charge): Cents {
  return charge.refundedBy === undefined ? charge.grossCents - grantedCents(charge) : 0n;
}

/** An order is undone: what staff have not returned before goes back whole. */
export function refundCharge(
  { type, data }: RefundRegistration | RefundCharge,
  state: OpenAccountState,
): Decision<AccountEvent> {
  const { chargeId, correctionId, reason, at } = data;
  const charge = state.charges.get(chargeId);
  if (charge === undefined) return reject("charge-not-found");
  // Not `charge-not-found`: whoever asks takes that for "nothing was charged", and would keep the money.
  if (isRegistrationCharge(charge) !== (type === "RefundRegistration"))
    return reject("charge-conflict", `This charge is not returned by ${type}.`);
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

/** Staff return a charge in part or whole: never more than is left of it, and once for an amount and a reason. */
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
 * The sums of the next part of a charge. The VAT of all parts so far is rounded, and what the earlier ones had is taken off:
 * so the parts of a whole charge sum to its invoice, to the cent.
 */
function nextPart(charge: Charge, grossCents: Cents): Totals {
  const before = charge.grossCents - leftToRefund(charge);
  const vatCents = vatOfFirst(charge, before + grossCents) - vatOfFirst(charge, before);
  const { vatRatePercent } = charge;
  return { netCents: grossCents - vatCents, vatRatePercent, vatCents, grossCents };
}

function vatOfFirst({ vatCents, grossCents }: Charge, cents: Cents): Cents {
  if (grossCents === 0n) return 0n;
  return roundHalfUp({ numerator: vatCents * cents, denominator: grossCents });
}

function grantedCents({ refunds }: Charge): Cents {
  return refunds.reduce((sum, { grossCents }) => sum + grossCents, 0n);
}
