import { assertNever } from "../kernel/assert-never.ts";
import { accept, reject, type Command, type Decider, type Decision } from "../kernel/decider.ts";
import type { Cents } from "../money/money.ts";
import type { BankEvent } from "./bank.events.ts";
import { evolve, nothingBooked, type BankEntry, type BankState } from "./bank.state.ts";
import { bookEntries, type BookEntries } from "./book-entries.ts";
import { decidePayouts, paidPayout, type PayoutCommand } from "./payouts.ts";
import { topUpReferenceOf } from "./top-up-reference.ts";
import type { StatementKind } from "./statement.ts";

/** Records that all entries of a statement are booked. */
export type FinishStatement = Command<
  "FinishStatement",
  {
    readonly iban: string;
    readonly kind: StatementKind;
    readonly statementId: string;
    readonly contentSha256: string;
    readonly openingCents: Cents | null;
    readonly closingCents: Cents | null;
    readonly entries: number;
  }
>;

/** Gives a waiting payment to an account. */
export type MatchEntry = Command<"MatchEntry", { readonly entryId: number; readonly accountId: number }>;

/** Records that a payment is a payout of a payment provider, or money that the provider took. */
export type MatchEntryToProvider = Command<
  "MatchEntryToProvider",
  { readonly entryId: number; readonly provider: string }
>;

/** Moves a payment to another account. */
export type ReassignEntry = Command<
  "ReassignEntry",
  { readonly entryId: number; readonly accountId: number; readonly reason: string }
>;

/** Sends a waiting payment back to its payer. */
export type ReturnEntry = Command<"ReturnEntry", { readonly entryId: number; readonly reason: string }>;

export type BankCommand =
  | PayoutCommand
  | BookEntries
  | FinishStatement
  | MatchEntry
  | MatchEntryToProvider
  | ReassignEntry
  | ReturnEntry;

/** Maximum accounts that a payment is moved to one after the other. */
export const mostAssignments = 10;

/** Rules of the operator's bank account (stream `bank-<iban>`): each payment is booked once and belongs to one account. */
export const bank: Decider<BankCommand, BankState, BankEvent> = {
  initialState: nothingBooked,
  decide,
  evolve,
};

function decide(command: BankCommand, state: BankState): Decision<BankEvent> {
  switch (command.type) {
    case "BookEntries":
      return bookEntries(command, state);
    case "FinishStatement": {
      const { at, openingCents, closingCents, ...data } = command.data;
      if (state.statements.has(data.contentSha256)) return accept();
      const balances = { openingCents: textOf(openingCents), closingCents: textOf(closingCents) };
      return accept({ type: "StatementImported", data: { ...data, ...balances, importedAt: at } });
    }
    case "QueuePayout":
    case "MakePayoutFile":
    case "ParkReturnedPayout":
      return decidePayouts(command, state);
    case "MatchEntry":
      return matchEntry(command, state);
    case "MatchEntryToProvider": {
      const { entryId, provider, at } = command.data;
      const entry = state.entries.get(entryId);
      if (entry === undefined) return noEntry();
      if (entry.status === "provider" && entry.provider === provider) return accept();
      if (entry.status !== "parked" && entry.status !== "outgoing") return notWaiting(entry);
      if (state.payouts.some(({ paidBy }) => paidBy === entryId)) return paidPayout(entryId);
      const { bookedOn } = entry;
      const data = { entryId, provider, amountCents: String(entry.amountCents), bookedOn, matchedAt: at };
      return accept({ type: "EntryMatchedToProvider", data });
    }
    case "ReassignEntry":
      return reassignEntry(command, state);
    case "ReturnEntry": {
      const { entryId, reason, at } = command.data;
      const entry = state.entries.get(entryId);
      if (entry === undefined) return noEntry();
      if (entry.status === "returned") return accept();
      if (entry.status !== "parked") return notWaiting(entry);
      return accept({ type: "EntryReturned", data: { entryId, reason, returnedAt: at } });
    }
    default:
      return assertNever(command);
  }
}

function textOf(amount: Cents | null): string | null {
  return amount === null ? null : String(amount);
}

function matchEntry({ data: { entryId, accountId, at } }: MatchEntry, state: BankState): Decision<BankEvent> {
  const entry = state.entries.get(entryId);
  if (entry === undefined) return noEntry();
  if (entry.status === "matched" && entry.assignments.at(-1)?.accountId === accountId) return accept();
  if (entry.status !== "parked") return notWaiting(entry);
  return accept({
    type: "EntryMatched",
    data: {
      entryId,
      accountId,
      amountCents: String(entry.amountCents),
      topUpReference: topUpReferenceOf(entry.iban, entryId),
      by: "staff",
      matchedAt: at,
      topUps: [],
    },
  });
}

function reassignEntry({ data }: ReassignEntry, state: BankState): Decision<BankEvent> {
  const { entryId, accountId: toAccountId, reason, at } = data;
  const entry = state.entries.get(entryId);
  if (entry === undefined) return noEntry();
  const last = entry.status === "matched" ? entry.assignments.at(-1) : undefined;
  if (entry.status !== "matched" || last === undefined)
    return reject("validation-failed", `Entry ${String(entryId)} is on no account: it is ${entry.status}.`, {
      fieldErrors: { entry_id: ["must be an entry that is matched to an account"] },
    });
  if (last.accountId === toAccountId) return accept();
  const time = entry.assignments.length + 1;
  if (time > mostAssignments)
    return reject(
      "validation-failed",
      `Entry ${String(entryId)} was moved ${String(time - 2)} times, which is the maximum.`,
      { fieldErrors: { entry_id: ["use admin account debit and credit for another correction"] } },
    );
  return accept({
    type: "EntryReassigned",
    data: {
      entryId,
      fromAccountId: last.accountId,
      toAccountId,
      amountCents: String(entry.amountCents),
      topUpReference: topUpReferenceOf(entry.iban, entryId, time),
      reason,
      reassignedAt: at,
    },
  });
}

function noEntry(): Decision<BankEvent> {
  return reject("not-found", "There is no such entry: see hostledger bank list.");
}

function notWaiting(entry: BankEntry): Decision<BankEvent> {
  const { entryId } = entry;
  const account = entry.status === "matched" ? entry.assignments.at(-1)?.accountId : undefined;
  const other = entry.status === "provider" ? `matched to ${entry.provider}` : entry.status;
  const found = account === undefined ? other : `matched to account ${String(account)}`;
  const hint = account === undefined ? "" : ` Use hostledger bank reassign ${String(entryId)} to move it.`;
  return reject("validation-failed", `Entry ${String(entryId)} does not wait: it is ${found}.${hint}`, {
    fieldErrors: { entry_id: ["must be an entry on the suspense account"] },
  });
}
