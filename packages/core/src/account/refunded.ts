import type { Cents } from "../money/money.ts";
import type { OpenAccountState, PaidOut } from "./account.state.ts";

/** Returns the refunds of a top-up, in the order of their debits. */
export function refundsOf({ paidOut }: OpenAccountState, topUpReference: string): readonly PaidOut[] {
  return [...paidOut.values()].filter((one) => one.topUpReference === topUpReference);
}

/** Returns the cents (EUR) of a top-up that went back to its source, or are to. */
export function refundedCents(state: OpenAccountState, topUpReference: string): Cents {
  return refundsOf(state, topUpReference).reduce(
    (cents, { isReturned, amountCents }) => (isReturned ? cents : cents + amountCents),
    0n,
  );
}
