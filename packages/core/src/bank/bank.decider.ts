import { assertNever } from "../kernel/assert-never.ts";
import { accept, reject, type Command, type Decider, type Decision } from "../kernel/decider.ts";
import type { Cents } from "../money/money.ts";
import type { BankEvent, ParkedBecause } from "./bank.events.ts";
import { evolvePayouts } from "./payout.state.ts";
import { evolve, nothingBooked, type BankEntry, type BankState } from "./bank.state.ts";
import { decidePayouts, paidPayout, payoutNews, type PayoutCommand } from "./payouts.ts";
import { topUpReferenceOf } from "./top-up-reference.ts";
import type { Booking, Payment, StatementKind } from "./statement.ts";

/** Account of an incoming payment, or the reason why staff must choose it. */
export type Recipient =
  /** `paymentKey`: stream of the top-up that the payment names, without its category; null if it names none. */
  { readonly accountId: number; readonly paymentKey: string | null } | { readonly because: ParkedBecause };

/** A payment with its recipient, which does not matter for money that left. */
export interface AddressedPayment extends Payment {
  readonly recipient: Recipient;
}

/** A booking with the keys that identify it in other files. */
export interface KeyedBooking extends Omit<Booking, "payments" | "currency"> {
  readonly payments: readonly AddressedPayment[];
  readonly key: string;
  /** Key under which a notification may have brought the booking before; null for a booking with the bank's own reference. */
  readonly noticeKey: string | null;
  /** Hash of its content; null for a booking with the bank's own reference. */
  readonly likeness: string | null;
  /** Number among the bookings of its file with equal content, from 1. */
  readonly occurrence: number;
}

/** Books the entries of a file that the stream lacks. */
export type BookEntries = Command<
  "BookEntries",
  {
    readonly iban: string;
    readonly kind: StatementKind;
    readonly statementId: string;
    readonly bookings: readonly KeyedBooking[];
    readonly keptUntilYear: number;
  }
>;

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

function bookEntries({ data }: BookEntries, state: BankState): Decision<BankEvent> {
  const events: BankEvent[] = [];
  let entryId = state.entries.size;
  let { payouts } = state;
  for (const booking of data.bookings) {
    if (isBooked(booking, data.kind, state)) continue;
    for (const [index, payment] of booking.payments.entries()) {
      entryId += 1;
      events.push(booked(data, { booking, payment, entryId, part: index + 1 }));
      const { isReversal } = booking;
      const news = payoutNews({ payouts }, payment, { entryId, isReversal, at: data.at });
      if (news !== undefined) {
        events.push(news);
        ({ payouts } = evolvePayouts({ ...state, payouts }, news));
      } else if (payment.amountCents > 0n) events.push(addressed(data, { payment, entryId }));
    }
  }
  return accept(...events);
}

/** Returns true if this file or another one brought the booking before. */
function isBooked(
  { key, noticeKey, likeness, occurrence }: KeyedBooking,
  kind: StatementKind,
  { keys, likenesses }: BankState,
): boolean {
  if (keys.has(key) || (noticeKey !== null && keys.has(noticeKey))) return true;
  // A late notification repeats a booking that a statement has already brought.
  return kind === "notice" && likeness !== null && (likenesses.get(likeness) ?? 0) >= occurrence;
}

function booked(
  { iban, statementId, keptUntilYear, at }: BookEntries["data"],
  {
    booking,
    payment,
    entryId,
    part,
  }: {
    readonly booking: KeyedBooking;
    readonly payment: AddressedPayment;
    readonly entryId: number;
    readonly part: number;
  },
): BankEvent {
  const { key, likeness, bookedOn, valueOn, bankReference, isReversal } = booking;
  const { amountCents, recipient: _, returnCode: __, ...texts } = payment;
  return {
    type: "BankEntryBooked",
    data: {
      entryId,
      iban,
      statementId,
      bookingKey: key,
      likeness,
      part,
      amountCents: String(amountCents),
      bookedOn,
      valueOn,
      bankReference,
      isReversal,
      ...texts,
      keyOwner: 0,
      keptUntilYear,
      recordedAt: at,
    },
  };
}

function addressed(
  { iban, at }: Pick<BookEntries["data"], "iban" | "at">,
  { payment, entryId }: { readonly payment: AddressedPayment; readonly entryId: number },
): BankEvent {
  const { recipient } = payment;
  if ("because" in recipient)
    return { type: "EntryParked", data: { entryId, because: recipient.because, parkedAt: at } };
  return {
    type: "EntryMatched",
    data: {
      entryId,
      accountId: recipient.accountId,
      amountCents: String(payment.amountCents),
      topUpReference: topUpReferenceOf(iban, entryId),
      by: "reference",
      matchedAt: at,
      paymentKey: recipient.paymentKey,
    },
  };
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
      paymentKey: null,
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
