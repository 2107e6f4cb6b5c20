import { isTakenBack } from "../account/adjust-balance.ts";
import type { AccountState } from "../account/account.state.ts";
import type { Assignment, BankEntry, ReceivedTransfers } from "../bank/bank.state.ts";
import type { PaymentState } from "../payment/payment.decider.ts";
import type { Next } from "./next.ts";

/** A bank entry with the accounts that it was booked on, in order. */
export interface WorkedBankEntry {
  readonly entry: BankEntry | undefined;
  readonly accounts: ReadonlyMap<number, AccountState>;
  /** The top-ups that the entry named. */
  readonly topUps: readonly TransferTopUp[];
}

/** A top-up by bank transfer, and the bank entries about it. */
export interface TransferTopUp {
  /** The top-up's stream without the category. */
  readonly key: string;
  readonly payment: PaymentState;
  /** Undefined while no money that named it is on its account. */
  readonly received: ReceivedTransfers | undefined;
}

export type BankCreditEffect =
  | ({ readonly type: "reverse"; readonly reason: string } & Omit<Assignment, "movedBecause">)
  | ({ readonly type: "credit"; readonly amountCents: bigint } & Omit<Assignment, "movedBecause">)
  /** Records what came for a top-up in all. */
  | { readonly type: "settle"; readonly paymentKey: string; readonly received: ReceivedTransfers }
  /** Records that all that had come for a top-up belonged to other accounts. */
  | { readonly type: "give-back"; readonly paymentKey: string };

/**
 * Decides the next step until the accounts agree with the bank: the account to which a payment belongs is credited
 * once, and accounts that got it by mistake are debited. Then each top-up that the payment names records the sum
 * that it received.
 */
export function nextOfBankEntry({ entry, accounts, topUps }: WorkedBankEntry): Next<BankCreditEffect> {
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
  for (const topUp of topUps) {
    const next = nextOfTopUp(topUp);
    if (next !== "done") return next;
  }
  return "done";
}

function nextOfTopUp({ key: paymentKey, payment, received }: TransferTopUp): Next<BankCreditEffect> {
  if (payment.status === "absent") return { stopped: `There is no top-up ${paymentKey}.` };
  if (received === undefined)
    return payment.status === "settled" ? { do: { type: "give-back", paymentKey } } : "done";
  const isRecorded =
    payment.status === "settled" &&
    payment.settled.amountCents === received.amountCents &&
    payment.settled.providerReference === received.topUpReference;
  return isRecorded ? "done" : { do: { type: "settle", paymentKey, received } };
}
