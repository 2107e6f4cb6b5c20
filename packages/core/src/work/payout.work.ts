import type { AccountState, PaidOut } from "../account/account.state.ts";
import type { BankState } from "../bank/bank.state.ts";
import { sentenceOfReturn } from "../money/return-codes.ts";
import type { Cents } from "../money/money.ts";
import type { Next } from "./next.ts";

/** A payout with the states from which its work decides. */
export interface WorkedPayout {
  readonly account: AccountState;
  readonly bank: Pick<BankState, "entries" | "payouts">;
  /** End-to-end id. */
  readonly reference: string;
}

export type PayoutEffect =
  /** Makes the payout wait for a file for the bank. */
  | { readonly type: "queue"; readonly accountId: number; readonly paidOut: PaidOut }
  /** Leaves a payout that the bank returned to staff, because the account was erased. */
  | {
      readonly type: "park";
      readonly accountId: number;
      readonly reference: string;
      /** Cents (EUR), above zero. */
      readonly amountCents: Cents;
      readonly reason: string;
    }
  /** Credits a payout again that the bank returned. */
  | {
      readonly type: "give-back";
      readonly accountId: number;
      readonly reference: string;
      readonly reason: string;
    };

/** Decides the next step until the bank's list and the balance agree about a payout. */
export function nextOfPayout({ account, bank, reference }: WorkedPayout): Next<PayoutEffect> {
  if (account.status !== "open") return "done";
  const { accountId } = account;
  const paidOut = account.paidOut.get(reference);
  if (paidOut === undefined) return "done";
  const payout = bank.payouts.get(reference);
  if (payout === undefined) return { do: { type: "queue", accountId, paidOut } };
  if (payout.returned === null || paidOut.isReturned) return "done";
  const { entryId, returnCode } = payout.returned;
  const reason = sentenceOfReturn(returnCode);
  if (account.erasedAt !== undefined) {
    if (bank.entries.get(entryId)?.status !== "payout-returned") return "done";
    return { do: { type: "park", accountId, reference, amountCents: payout.amountCents, reason } };
  }
  return { do: { type: "give-back", accountId, reference, reason } };
}
