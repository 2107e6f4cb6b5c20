import {
  adjustmentName,
  causeOf,
  moneyEvent,
  type MoneyDocument,
  type MoneyEvent,
} from "../account-history.ts";
import { bareType, parseMembers, textMember, type Fact, type Facts, type OnUnreadable } from "../fact.ts";
import { previousMicrosecond } from "../instant.ts";
import { accountName, type JournalAccount } from "./account-names.ts";

/** One side of a transaction: cents (EUR), a debit above zero, a credit below. */
export interface Posting {
  readonly account: JournalAccount;
  readonly amountCents: bigint;
}

/** A movement of money; its postings sum to zero. */
export interface Transaction {
  /** When the movement was stored: ISO 8601 UTC with six fractional digits. */
  readonly time: string;
  readonly accountId: number;
  readonly kind: "opening" | "payment" | "adjustment" | "charge" | "refund";
  /** Number of its document; empty where there is none. */
  readonly documentNumber: string;
  readonly description: string;
  /** The charge, or the reference of the payment or the correction. */
  readonly cause: string;
  /** Id of the movement's fact; empty for an opening balance. */
  readonly factId: string;
  /** VAT within it, in cents (EUR), as the document has it. */
  readonly vatCents: bigint;
  /** VAT rate of the document in per cent. */
  readonly vatRatePercent: number;
  readonly postings: readonly Posting[];
}

/** What a journal is made of, in the order of the log. */
export type JournalEntry =
  | { readonly kind: "customer"; readonly accountId: number; readonly name: string; readonly time: string }
  | { readonly kind: "transaction"; readonly transaction: Transaction };

type Movement = Exclude<MoneyEvent, MoneyDocument>;

interface Pending {
  readonly fact: Fact;
  readonly accountId: number;
  readonly event: Movement;
}

/**
 * The facts of accounts as double entry: one transaction for each movement, with its document's revenue and VAT. Every
 * transaction sums to zero, and a customer's postings sum to the balance, whatever a document says.
 * @param facts of all accounts, in log order; others are passed over.
 * @param from movements stored before it are one opening transaction for each customer, with every account that they
 * touched: the trial balance is the same for any `from`.
 * @param onUnreadable hears of each movement and document that cannot be read and is left out.
 */
export async function* journalEntries(
  facts: Facts,
  from?: string,
  onUnreadable: OnUnreadable = () => undefined,
): AsyncGenerator<JournalEntry> {
  const pending = new Map<string, Pending>();
  const earlier: EarlierBooks = new Map();
  for await (const fact of facts) {
    const accountId = accountOf(fact.stream);
    if (accountId === undefined) continue;
    if (bareType(fact) === "AccountOpened") {
      const name = textMember(parseMembers(fact.data), "name") ?? "";
      yield { kind: "customer", accountId, name, time: fact.time };
      continue;
    }
    const event = moneyEvent(fact, onUnreadable);
    if (event === undefined) continue;
    const before = pending.get(fact.stream);
    pending.delete(fact.stream);
    if (isDocument(event)) {
      if (before !== undefined) yield* dated(transactionOf(before, event), earlier, from);
    } else {
      if (before !== undefined) yield* dated(transactionOf(before, undefined), earlier, from);
      pending.set(fact.stream, { fact, accountId, event });
    }
  }
  for (const left of pending.values()) yield* dated(transactionOf(left, undefined), earlier, from);
  if (from !== undefined) yield* openings(earlier, from);
}

/** The account whose stream it is; undefined for any other stream. */
function accountOf(stream: string): number | undefined {
  const match = /^account-([1-9]\d{0,14})$/u.exec(stream);
  return match === null ? undefined : Number(match[1]);
}

/** Sums of the movements before the period: by customer, then by name of the account in the books. */
type EarlierBooks = Map<number, Map<string, Posting>>;

function* dated(
  transaction: Transaction,
  earlier: EarlierBooks,
  from: string | undefined,
): Generator<JournalEntry> {
  if (from === undefined || transaction.time >= from) {
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

/** Dated before the period, so that revenue of earlier days is not in a report on the period. */
function* openings(earlier: EarlierBooks, from: string): Generator<JournalEntry> {
  for (const [accountId, sums] of earlier) {
    const postings = [...sums.values()].filter(({ amountCents }) => amountCents !== 0n);
    if (postings.length === 0) continue;
    const transaction: Transaction = {
      time: previousMicrosecond(from),
      accountId,
      kind: "opening",
      documentNumber: "",
      factId: "",
      cause: "",
      description: "Opening balance",
      vatCents: 0n,
      vatRatePercent: 0,
      postings,
    };
    yield { kind: "transaction", transaction };
  }
}

/** A document that is not the movement's own explains nothing: the movement is posted without one. */
function transactionOf(
  { fact, accountId, event }: Pending,
  document: MoneyDocument | undefined,
): Transaction {
  const own = document !== undefined && belongs(event, document) ? document : undefined;
  const customer: Posting = { account: { kind: "customer", accountId }, amountCents: customerCents(event) };
  const explained = own === undefined ? counterpartOfNone(event) : counterpart(own);
  const remainder = [customer, ...explained].reduce((sum, { amountCents }) => sum - amountCents, 0n);
  return {
    time: fact.time,
    accountId,
    kind: kindOf(event),
    factId: fact.id,
    documentNumber: own?.data.number ?? "",
    description: descriptionOf(event, own),
    cause: "reference" in event.data ? event.data.reference : event.data.chargeId,
    ...vatOf(own),
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

/** A payment is no supply: neither its receipt nor the cancellation of that has VAT. */
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

/** What a customer has is owed to them, hence a credit: a payment is below zero, a charge above. */
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

/** The other side of a correction of staff, which has no document; of any other movement without one, nothing is known. */
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

/** The other side of the customer's posting; a correction's amounts are below zero already. */
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
