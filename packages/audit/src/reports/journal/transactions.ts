import {
  adjustmentName,
  causeOf,
  type MoneyDocument,
  moneyEvent,
  type MoneyEvent,
} from "../account-history.ts";
import { dayOfDocument, documentTaxOf, type DocumentTax } from "../document-tax.ts";
import { bareType, type Event, type Events, type OnUnreadable, parseMembers, textMember } from "../event.ts";
import { accountName, type JournalAccount } from "./journal-accounts.ts";
import { previousMicrosecond } from "../instant.ts";

/** A side of a transaction in cents (EUR): positive for a debit, negative for a credit. */
export interface Posting {
  readonly account: JournalAccount;
  readonly amountCents: bigint;
}

/** A movement of money; its postings sum to zero. */
export interface Transaction {
  /** Time of storage: ISO 8601 UTC with six fractional digits. */
  readonly time: string;
  /** Date of the booking, YYYY-MM-DD: that of its document (`dayOfDocument`); without a document the UTC day of `time`. */
  readonly day: string;
  readonly accountId: number;
  readonly kind: "opening" | "payment" | "adjustment" | "charge" | "refund";
  /** Number of its document; empty if it has none. */
  readonly documentNumber: string;
  readonly description: string;
  /** Id of the charge, or reference of the payment or correction. */
  readonly cause: string;
  /** Id of the movement's event; empty for an opening balance. */
  readonly eventId: string;
  /** VAT contained in it, in cents (EUR), from the document. */
  readonly vatCents: bigint;
  readonly vatRatePercent: number;
  /** How its document is taxed; undefined for payments, and without a document. */
  readonly tax: DocumentTax | undefined;
  readonly postings: readonly Posting[];
}

/** An entry of a journal, in the order of `$all`. */
export type JournalEntry =
  | { readonly kind: "customer"; readonly accountId: number; readonly name: string; readonly time: string }
  | { readonly kind: "transaction"; readonly transaction: Transaction };

/** Start and end of a journal, inclusive: a date of bookings (YYYY-MM-DD), or an instant of storage (ISO 8601 UTC). */
export interface JournalPeriod {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

type Movement = Exclude<MoneyEvent, MoneyDocument>;

interface Pending {
  readonly stored: Event;
  readonly accountId: number;
  readonly event: Movement;
}

/**
 * Converts the events of accounts to double entry: a transaction for each movement, with its document's revenue and VAT.
 * Every transaction sums to zero. A customer's postings always sum to the balance, even if a document differs.
 * @param events events of all accounts in the order of `$all`; other events are skipped.
 * @param period Bookings before `from` become an opening transaction for each customer, with all their
 *   accounts, so that the trial balance does not depend on `from`. Bookings after `to` are left out.
 * @param onUnreadable receives a sentence about each movement and document that the journal omits.
 */
export async function* journalEntries(
  events: Events,
  period: JournalPeriod = {},
  onUnreadable: OnUnreadable = () => undefined,
): AsyncGenerator<JournalEntry> {
  const pending = new Map<string, Pending>();
  const earlier: EarlierBooks = new Map();
  for await (const stored of events) {
    const accountId = accountOf(stored.stream);
    if (accountId === undefined) continue;
    if (bareType(stored) === "AccountOpened" && stored.leftOut === undefined) {
      const name = textMember(parseMembers(stored.data), "name") ?? "";
      yield { kind: "customer", accountId, name, time: stored.time };
      continue;
    }
    const event = moneyEvent(stored, onUnreadable);
    if (event === undefined) continue;
    const before = pending.get(stored.stream);
    pending.delete(stored.stream);
    if (isDocument(event)) {
      if (before !== undefined) yield* dated(transactionOf(before, event), earlier, period);
    } else {
      if (before !== undefined) yield* dated(transactionOf(before, undefined), earlier, period);
      pending.set(stored.stream, { stored, accountId, event });
    }
  }
  for (const left of pending.values()) yield* dated(transactionOf(left, undefined), earlier, period);
  if (period.from !== undefined) yield* openings(earlier, period.from);
}

function accountOf(stream: string): number | undefined {
  const match = /^account-([1-9]\d{0,14})$/u.exec(stream);
  return match === null ? undefined : Number(match[1]);
}

/** Sums of the movements before the period, by customer and account name. */
type EarlierBooks = Map<number, Map<string, Posting>>;

function* dated(
  transaction: Transaction,
  earlier: EarlierBooks,
  { from, to }: JournalPeriod,
): Generator<JournalEntry> {
  if (to !== undefined && placeAt(to, transaction) > to) return;
  if (from === undefined || placeAt(from, transaction) >= from) {
    yield { kind: "transaction", transaction };
    return;
  }
  const { accountId, postings } = transaction;
  const sums = earlier.get(accountId) ?? new Map<string, Posting>();
  earlier.set(accountId, sums);
  for (const { account, amountCents } of postings) {
    const name = accountName(account);
    sums.set(name, { account, amountCents: (sums.get(name)?.amountCents ?? 0n) + amountCents });
  }
}

/** Returns the day of the booking for an end of the period that is a date, and the time of storage for an instant. */
function placeAt(end: string, { day, time }: Transaction): string {
  return end.includes("T") ? time : day;
}

/** Opening transactions are dated before the period, so that reports on the period exclude earlier revenue. */
function* openings(earlier: EarlierBooks, from: string): Generator<JournalEntry> {
  const time = previousMicrosecond(from.includes("T") ? from : `${from}T00:00:00.000000Z`);
  for (const [accountId, sums] of earlier) {
    const postings = [...sums.values()].filter(({ amountCents }) => amountCents !== 0n);
    if (postings.length === 0) continue;
    const transaction: Transaction = {
      time,
      day: time.slice(0, 10),
      accountId,
      kind: "opening",
      documentNumber: "",
      eventId: "",
      cause: "",
      description: "Opening balance",
      vatCents: 0n,
      vatRatePercent: 0,
      tax: undefined,
      postings,
    };
    yield { kind: "transaction", transaction };
  }
}

/** Builds a movement's transaction. A document of another movement is ignored. */
function transactionOf(
  { stored, accountId, event }: Pending,
  document: MoneyDocument | undefined,
): Transaction {
  const own = document !== undefined && belongs(event, document) ? document : undefined;
  const customer: Posting = { account: { kind: "customer", accountId }, amountCents: customerCents(event) };
  const explained = own === undefined ? counterpartOfNone(event) : counterpart(own);
  const remainder = [customer, ...explained].reduce((sum, { amountCents }) => sum - amountCents, 0n);
  return {
    time: stored.time,
    day: own === undefined ? stored.time.slice(0, 10) : dayOfDocument(own),
    accountId,
    kind: kindOf(event),
    eventId: stored.id,
    documentNumber: own?.data.number ?? "",
    description: descriptionOf(event, own),
    cause: "reference" in event.data ? event.data.reference : event.data.chargeId,
    ...vatOf(own),
    tax: own === undefined ? undefined : documentTaxOf(own),
    postings: [
      customer,
      ...explained,
      ...(remainder === 0n ? [] : [{ account: { kind: "unexplained" as const }, amountCents: remainder }]),
    ],
  };
}

function isDocument(event: MoneyEvent): event is MoneyDocument {
  const { type } = event;
  return type === "InvoiceIssued" || type === "CorrectionIssued" || type === "ReceiptCancelled";
}

/** Returns the VAT of a document; payments have none, so receipts and their cancellations have none. */
function vatOf(document: MoneyDocument | undefined): Pick<Transaction, "vatCents" | "vatRatePercent"> {
  if (document === undefined || document.type === "ReceiptCancelled")
    return { vatCents: 0n, vatRatePercent: 0 };
  const { vatCents, vatRatePercent } = document.data;
  return { vatCents: BigInt(vatCents), vatRatePercent };
}

function belongs(event: Movement, document: MoneyDocument): boolean {
  switch (event.type) {
    case "BalanceCredited":
      return document.type === "InvoiceIssued" && causeOf(document) === event.data.reference;
    case "BalanceAdjusted":
      return document.type === "ReceiptCancelled" && causeOf(document) === event.data.reference;
    case "BalanceCharged":
      return document.type === "InvoiceIssued" && causeOf(document) === event.data.chargeId;
    case "RegistrationRefunded":
    case "RefundGranted":
    case "ChargeRefunded":
      return document.type === "CorrectionIssued" && causeOf(document) === event.data.chargeId;
  }
}

/** Returns the customer's posting. A balance is a liability: payments are negative (credit), charges positive (debit). */
function customerCents(event: Movement): bigint {
  switch (event.type) {
    case "BalanceCredited":
    case "BalanceAdjusted":
      return -BigInt(event.data.amountCents);
    case "BalanceCharged":
      return BigInt(event.data.grossCents);
    case "RegistrationRefunded":
    case "RefundGranted":
    case "ChargeRefunded":
      return -BigInt(event.data.grossCents);
  }
}

/** Returns the counter posting of a movement without a document, which only staff's corrections have. */
function counterpartOfNone(event: Movement): readonly Posting[] {
  if (event.type !== "BalanceAdjusted") return [];
  const { kind, amountCents } = event.data;
  return [
    {
      account: { kind: kind === "top-up-reversed" ? "bank" : "adjustments" },
      amountCents: BigInt(amountCents),
    },
  ];
}

/** Returns the counter posting of a document; amounts of corrections are already negative. */
function counterpart(document: MoneyDocument): readonly Posting[] {
  if (document.type === "ReceiptCancelled")
    return [{ account: { kind: "bank" }, amountCents: BigInt(document.data.grossCents) }];
  const { netCents, vatCents, grossCents, vatRatePercent, domainId, serverId } = document.data;
  if (document.type === "InvoiceIssued" && document.data.action === "topup")
    return [{ account: { kind: "bank" }, amountCents: BigInt(grossCents) }];
  const of = domainId !== null ? "domains" : serverId !== null ? "servers" : "other";
  const net: Posting = { account: { kind: "revenue", of }, amountCents: -BigInt(netCents) };
  if (BigInt(vatCents) === 0n) return [net];
  return [net, { account: { kind: "vat", ratePercent: vatRatePercent }, amountCents: -BigInt(vatCents) }];
}

function kindOf(event: Movement): Transaction["kind"] {
  switch (event.type) {
    case "BalanceCredited":
      return "payment";
    case "BalanceAdjusted":
      return "adjustment";
    case "BalanceCharged":
      return "charge";
    case "RegistrationRefunded":
    case "RefundGranted":
    case "ChargeRefunded":
      return "refund";
  }
}

function descriptionOf(event: Movement, document: MoneyDocument | undefined): string {
  if (document?.type === "InvoiceIssued" && document.data.lines.length > 0)
    return document.data.lines.map(({ description }) => description).join(", ");
  if (document?.type === "CorrectionIssued")
    return `Correction of ${document.data.correctsNumber}: ${document.data.reason}`;
  if (event.type === "BalanceAdjusted") return `${adjustmentName(event.data)}: ${event.data.reason}`;
  return event.type === "BalanceCredited" ? "Payment" : event.type === "BalanceCharged" ? "Charge" : "Refund";
}
