import { isTakenBack } from "../account/adjust-balance.ts";
import type { AccountState } from "../account/account.state.ts";
import type { Assignment, BankEntry } from "../bank/bank.state.ts";
import type { Next } from "./next.ts";

/** A bank entry with the accounts that it was booked on, in order. */
export interface WorkedBankEntry {
  readonly entry: BankEntry | undefined;
  readonly accounts: ReadonlyMap<number, AccountState>;
}

export type BankCreditEffect =
  | ({ readonly type: "reverse"; readonly reason: string } & Omit<Assignment, "movedBecause">)
  | ({ readonly type: "credit"; readonly amountCents: bigint } & Omit<Assignment, "movedBecause">);

/**
 * Decides what makes the accounts agree with the bank: the account that has a payment now is credited once, and accounts that had
 * the payment by mistake are debited.
 */
export function nextOfBankEntry({ entry, accounts }: WorkedBankEntry): Next<BankCreditEffect> {
  if (entry?.status !== "matched") return "done";
  for (const { accountId, topUpReference, movedBecause } of entry.assignments) {
    const account = accounts.get(accountId);
    if (account?.status !== "open") return { stopped: `Account ${String(accountId)} does not exist.` };
    const isCredited = account.credits.has(topUpReference);
    if (movedBecause === null && !isCredited)
      return { do: { type: "credit", accountId, topUpReference, amountCents: entry.amountCents } };
    if (movedBecause !== null && isCredited && !isTakenBack(account, topUpReference))
      return { do: { type: "reverse", accountId, topUpReference, reason: movedBecause } };
  }
  return "done";
}
