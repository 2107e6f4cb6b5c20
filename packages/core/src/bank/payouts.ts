import { accept, reject, type Command, type Decision } from "../kernel/decider.ts";
import type { Cents } from "../money/money.ts";
import type { BankEvent } from "./bank.events.ts";
import type { BankState } from "./bank.state.ts";
import { payoutsOfFile } from "./payout.events.ts";
import type { Payout, PayoutEvent, Payouts } from "./payout.state.ts";
import type { Payment } from "./statement.ts";

/** Makes a payout wait for a file, once. */
export type QueuePayout = Command<
  "QueuePayout",
  Pick<Payout, "accountId" | "endToEndId" | "amountCents" | "iban" | "name"> & {
    readonly keptUntilYear: number;
  }
>;

/** Makes a file of the payouts that wait. Without any it does nothing. */
export type MakePayoutFile = Command<
  "MakePayoutFile",
  {
    readonly messageId: string;
    readonly fromIban: string;
    /** Empty if unknown. */
    readonly fromBic: string;
    readonly debtorName: string;
    readonly executeOn: string;
  }
>;

/** Puts a returned payout on the suspense account, because its customer was erased and gets nothing credited. */
export type ParkReturnedPayout = Command<"ParkReturnedPayout", { readonly endToEndId: string }>;

export type PayoutCommand = QueuePayout | MakePayoutFile | ParkReturnedPayout;

export function decidePayouts(
  command: PayoutCommand,
  state: Payouts & Pick<BankState, "entries">,
): Decision<BankEvent> {
  if (command.type === "ParkReturnedPayout") return parkReturnedPayout(command, state);
  if (command.type === "QueuePayout") {
    const { amountCents, at, ...order } = command.data;
    if (state.payouts.has(order.endToEndId)) return accept();
    return accept({
      type: "PayoutQueued",
      data: { ...order, amountCents: String(amountCents), keyOwner: 0, queuedAt: at },
    });
  }
  const endToEndIds = state.waiting.slice(0, payoutsOfFile);
  if (endToEndIds.length === 0) return accept();
  const { at, ...file } = command.data;
  const sum = endToEndIds.reduce<Cents>(
    (cents, id) => cents + (state.payouts.get(id)?.amountCents ?? 0n),
    0n,
  );
  return accept({
    type: "PayoutFileMade",
    data: { ...file, endToEndIds, amountCents: String(sum), madeAt: at },
  });
}

/** Refuses an entry that paid a payout. */
export function paidPayout(entryId: number): Decision<BankEvent> {
  return reject("validation-failed", `Entry ${String(entryId)} paid a payout to a customer.`, {
    fieldErrors: { entry_id: ["must be an entry that paid no payout"] },
  });
}

/** Lets the entry of a returned payout wait on the suspense account, unless staff have decided about it since. */
function parkReturnedPayout(
  { data: { endToEndId, at } }: ParkReturnedPayout,
  { entries, payouts }: Pick<BankState, "entries" | "payouts">,
): Decision<BankEvent> {
  const entryId = payouts.get(endToEndId)?.returned?.entryId;
  if (entryId === undefined) return reject("not-found", "The bank returned no such payout.");
  if (entries.get(entryId)?.status !== "payout-returned") return accept();
  return accept({ type: "EntryParked", data: { entryId, because: "account-erased", parkedAt: at } });
}

/**
 * Returns whether an entry of the bank pays or returns a payout, by its end-to-end id and amount; undefined for any
 * other entry. A second entry, or one with another amount, is left to staff.
 * @param isReversal true if the bank reverses an earlier booking
 */
export function payoutNews(
  { payouts }: Pick<Payouts, "payouts">,
  { endToEndId, amountCents, returnCode }: Payment,
  {
    entryId,
    isReversal,
    at,
  }: { readonly entryId: number; readonly isReversal: boolean; readonly at: string },
): Extract<PayoutEvent, { type: "PayoutPaid" | "PayoutReturned" }> | undefined {
  const payout = payouts.get(endToEndId);
  if (typeof payout?.messageId !== "string") return undefined;
  const { accountId } = payout;
  const data = { accountId, endToEndId, entryId, amountCents: String(payout.amountCents) };
  if (amountCents === -payout.amountCents && payout.paidBy === null)
    return { type: "PayoutPaid", data: { ...data, paidAt: at } };
  const isReturn = returnCode !== undefined || isReversal;
  if (amountCents !== payout.amountCents || !isReturn || payout.returned !== null) return undefined;
  return { type: "PayoutReturned", data: { ...data, returnCode: returnCode ?? "", returnedAt: at } };
}
