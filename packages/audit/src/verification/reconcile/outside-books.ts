import { categoryOf, entryOfTopUp, type HostingEvent } from "@hostledger/core";

import type { EventPlace } from "./charge-history.ts";
import { bookMoneyOut, emptyMoneyOutBooks, type MoneyOutBooks } from "./money-out-books.ts";

/** A bank's entry by the books. */
export interface BookedEntry {
  readonly iban: string;
  readonly entryId: number;
  readonly statementId: string;
  /** Identifies the bank's booking and the payment in it. */
  readonly booking: string;
  readonly amountCents: bigint;
  readonly at: EventPlace;
  /**
   * `outgoing` is money that left for a reason that nobody named, `paid-out` a payout to a customer. `returned` is a payment that staff
   * send back to its payer, `payout-returned` a payout that the bank returned.
   */
  status: "outgoing" | "paid-out" | "parked" | "matched" | "provider" | "returned" | "payout-returned";
  /** Whose payout the entry is, or who took the money; undefined for other entries. */
  provider: string | undefined;
  /** Time of the last change of its status. */
  since: string;
  /** Accounts that had it, in order; the last one has it. */
  readonly assignments: { readonly accountId: number; readonly reference: string; readonly at: EventPlace }[];
}

/** A top-up of an account. */
export interface BookedCredit {
  readonly accountId: number;
  readonly amountCents: bigint;
  readonly at: EventPlace;
  isReversed: boolean;
  /** Amount refunded to the source, in cents (EUR). */
  refundedCents: bigint;
}

/** A customer's payment at a provider. */
export interface BookedPayment {
  readonly orderId: string;
  readonly accountId: number;
  readonly provider: string;
  settled:
    | {
        readonly reference: string;
        readonly amountCents: bigint;
        readonly feeCents: bigint;
        readonly at: EventPlace;
      }
    | undefined;
  returned: { readonly amountCents: bigint; readonly at: EventPlace } | undefined;
}

/** An imported file of the bank. */
export interface BookedStatement {
  readonly iban: string;
  readonly kind: "statement" | "notice";
  readonly statementId: string;
  readonly openingCents: bigint | undefined;
  readonly closingCents: bigint | undefined;
  readonly entries: number;
  readonly at: EventPlace;
}

/** The books of bank accounts and payments. Memory grows with entries, payments and top-ups. */
export interface OutsideBooks {
  readonly entries: Map<string, BookedEntry>;
  readonly statements: BookedStatement[];
  /** By the name of their streams. */
  readonly payments: Map<string, BookedPayment>;
  /** By reference. */
  readonly credits: Map<string, BookedCredit[]>;
  /** Top-ups that are refunded to the source, by the refund's reference. */
  readonly refunds: Map<string, BookedCredit>;
  readonly out: MoneyOutBooks;
  /** Latest time of storage; empty before the first event. */
  lastTime: string;
}

export function emptyOutsideBooks(): OutsideBooks {
  return {
    entries: new Map(),
    statements: [],
    payments: new Map(),
    credits: new Map(),
    refunds: new Map(),
    out: emptyMoneyOutBooks(),
    lastTime: "",
  };
}

/** Adds an event of a bank account, a payment or an account; ignores other events. */
export function bookOutside(books: OutsideBooks, stream: string, event: HostingEvent, at: EventPlace): void {
  if (at.time > books.lastTime) books.lastTime = at.time;
  bookMoneyOut(books.out, stream, event, at);
  const category = categoryOf(stream);
  if (category === "account") bookCredit(books, stream, event, at);
  else if (category === "bank") bookEntry(books, stream.slice("bank-".length), event, at);
  else if (category === "payment") bookPayment(books, stream, event, at);
}

function bookCredit(
  { credits, refunds }: OutsideBooks,
  stream: string,
  event: HostingEvent,
  at: EventPlace,
): void {
  if (event.type === "BalanceCredited") {
    const { reference, amountCents } = event.data;
    const accountId = Number(stream.slice("account-".length));
    const credit = { accountId, amountCents: BigInt(amountCents), at, isReversed: false, refundedCents: 0n };
    credits.set(reference, [...(credits.get(reference) ?? []), credit]);
  }
  const own = (topUp: string): BookedCredit | undefined =>
    credits.get(topUp)?.find(({ accountId }) => accountId === Number(stream.slice("account-".length)));
  if (event.type === "BalanceAdjusted" && event.data.kind === "top-up-reversed") {
    const credit = own(event.data.reference);
    if (credit !== undefined) credit.isReversed = true;
  } else if (event.type === "BalancePaidOut" && event.data.topUpReference !== null) {
    const credit = own(event.data.topUpReference);
    if (credit === undefined) return;
    credit.refundedCents += BigInt(event.data.amountCents);
    refunds.set(event.data.reference, credit);
  } else if (event.type === "PaidOutReturned") {
    const credit = refunds.get(event.data.reference);
    if (credit !== undefined) credit.refundedCents -= BigInt(event.data.amountCents);
  }
}

function bookEntry(books: OutsideBooks, iban: string, event: HostingEvent, at: EventPlace): void {
  const change = (entryId: number, status: BookedEntry["status"]): BookedEntry | undefined => {
    const entry = books.entries.get(entryKey(iban, entryId));
    if (entry !== undefined) Object.assign(entry, { status, since: at.time });
    return entry;
  };
  switch (event.type) {
    case "StatementImported": {
      const { kind, statementId, openingCents, closingCents, entries } = event.data;
      const [opening, closing] = [openingCents, closingCents].map((cents) =>
        cents === null ? undefined : BigInt(cents),
      );
      const balances = { openingCents: opening, closingCents: closing };
      books.statements.push({ iban, kind, statementId, ...balances, entries, at });
      return;
    }
    case "BankEntryBooked": {
      const { entryId, statementId, bookingKey, part } = event.data;
      const amountCents = BigInt(event.data.amountCents);
      const status = amountCents < 0n ? "outgoing" : "parked";
      const booking = `${bookingKey}/${String(part)}`;
      const fresh = { since: at.time, provider: undefined, assignments: [] };
      const entry = { iban, entryId, statementId, booking, amountCents, at, ...fresh };
      books.entries.set(entryKey(iban, entryId), { ...entry, status });
      return;
    }
    case "EntryMatched": {
      const { entryId, accountId, topUpReference: reference } = event.data;
      change(entryId, "matched")?.assignments.push({ accountId, reference, at });
      return;
    }
    case "EntryReassigned": {
      const { entryId, toAccountId: accountId, topUpReference: reference } = event.data;
      change(entryId, "matched")?.assignments.push({ accountId, reference, at });
      return;
    }
    case "EntryParked":
      change(event.data.entryId, "parked");
      return;
    case "EntryMatchedToProvider": {
      const entry = change(event.data.entryId, "provider");
      if (entry !== undefined) entry.provider = event.data.provider;
      return;
    }
    case "PayoutPaid":
      change(event.data.entryId, "paid-out");
      return;
    case "EntryReturned":
      change(event.data.entryId, "returned");
      return;
    case "PayoutReturned":
      change(event.data.entryId, "payout-returned");
      return;
    default:
      return;
  }
}

export function entryKey(iban: string, entryId: number): string {
  return `${iban}/${String(entryId)}`;
}

function bookPayment({ payments }: OutsideBooks, stream: string, event: HostingEvent, at: EventPlace): void {
  const payment = payments.get(stream);
  if (event.type === "PaymentRequested") {
    const { accountId, provider } = event.data;
    const none = { settled: undefined, returned: undefined };
    payments.set(stream, { orderId: stream, accountId, provider, ...none });
  } else if (event.type === "PaymentSettled" && payment !== undefined) {
    const { providerReference: reference, amountCents, feeCents } = event.data;
    payment.settled = { reference, amountCents: BigInt(amountCents), feeCents: BigInt(feeCents), at };
    payment.returned = undefined;
  } else if (event.type === "PaymentReturned" && payment !== undefined)
    payment.returned = { amountCents: BigInt(event.data.amountCents), at };
}

/** Returns false for a payment by bank transfer, which the bank's entries settle. */
export function isAtProvider(
  settled: BookedPayment["settled"],
): settled is NonNullable<BookedPayment["settled"]> {
  return settled !== undefined && entryOfTopUp(settled.reference) === undefined;
}
