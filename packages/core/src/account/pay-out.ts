import { accept, reject, type Decision } from "../kernel/decider.ts";
import { formatEuros, maximumCents } from "../money/money.ts";
import type { GivePaidOutBack, PayOut } from "./account.commands.ts";
import type { AccountEvent } from "./account.events.ts";
import type { OpenAccountState, PaidOut } from "./account.state.ts";
import { isTakenBack } from "./adjust-balance.ts";
import { refundedCents } from "./refunded.ts";

/** Debits money that goes back to the customer, once for each reference. It leaves no debt. */
export function payOut({ data }: PayOut, state: OpenAccountState): Decision<AccountEvent> {
  const { reference, amountCents, at, ...order } = data;
  const known = state.paidOut.get(reference);
  if (known !== undefined)
    return known.amountCents === amountCents && known.reason === order.reason
      ? accept()
      : reject("reference-conflict", "Another order has this reference: repeat the command.");
  // Another process, or the person who approved it, made the same order under another reference meanwhile.
  if (order.to === "bank" && sameOrder(state, { ...order, amountCents }) !== undefined) return accept();
  if (amountCents <= 0n || amountCents > maximumCents)
    return reject("validation-failed", "The amount is out of range.", {
      fieldErrors: { amount: ["must be above zero and at most one billion euros"] },
    });
  const refusal = order.to === "source" ? refusalOfRefund(data, state) : refusalOfTransfer(state);
  if (refusal !== undefined) return refusal;
  const balanceCents = state.balanceCents - amountCents;
  if (balanceCents < 0n)
    return reject("insufficient-balance", undefined, {
      requiredCents: amountCents,
      availableCents: state.balanceCents,
    });
  return accept({
    type: "BalancePaidOut",
    data: {
      accountId: state.accountId,
      ...order,
      reference,
      amountCents: String(amountCents),
      balanceAfterCents: String(balanceCents),
      keyOwner: 0,
      paidOutAt: at,
    },
  });
}

/** Returns the same order made before: an amount goes out once for each reason, and target. */
export function sameOrder(
  { paidOut }: OpenAccountState,
  {
    amountCents,
    reason,
    iban,
    topUpReference,
  }: Pick<PaidOut, "amountCents" | "reason" | "iban" | "topUpReference">,
): PaidOut | undefined {
  return [...paidOut.values()].find(
    (one) =>
      one.amountCents === amountCents &&
      one.reason === reason &&
      one.iban === iban &&
      one.topUpReference === topUpReference,
  );
}

/** Credits money again that did not reach the customer. */
export function givePaidOutBack({ data }: GivePaidOutBack, state: OpenAccountState): Decision<AccountEvent> {
  const { reference, reason, at } = data;
  const known = state.paidOut.get(reference);
  if (known === undefined) return reject("not-found", "Nothing was paid out under this reference.");
  if (known.isReturned) return accept();
  const { to, amountCents } = known;
  if (to === "bank" && state.erasedAt !== undefined)
    return reject("account-not-open", "The account's personal data was erased: the money waits for staff.");
  return accept({
    type: "PaidOutReturned",
    data: {
      accountId: state.accountId,
      to,
      reference,
      amountCents: String(amountCents),
      balanceAfterCents: String(state.balanceCents + amountCents),
      reason,
      returnedAt: at,
    },
  });
}

function refusalOfRefund(
  { topUpReference, amountCents }: PayOut["data"],
  state: OpenAccountState,
): Decision<AccountEvent> | undefined {
  const credit = state.credits.get(topUpReference ?? "");
  if (topUpReference === null || credit === undefined)
    return reject("not-found", "The account has no such payment.");
  if (isTakenBack(state, topUpReference))
    return reject("validation-failed", "The payment was taken back: there is nothing to refund.");
  const left = credit.amountCents - refundedCents(state, topUpReference);
  if (amountCents <= left) return undefined;
  return reject("validation-failed", `${formatEuros(left)} EUR of the payment are left to refund.`, {
    fieldErrors: { amount: [`must be at most ${formatEuros(left)} euros`] },
  });
}

function refusalOfTransfer({ erasedAt }: OpenAccountState): Decision<AccountEvent> | undefined {
  if (erasedAt === undefined) return undefined;
  return reject(
    "account-not-open",
    "The account's personal data was erased: nobody can say who gets the money.",
  );
}
