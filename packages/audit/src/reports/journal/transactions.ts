import {
  adjustmentName,
  causeOf,
  payoutName,
  type MoneyDocument,
  type MoneyEvent,
} from "../account-history.ts";
import { dayOfDocument, documentTaxOf } from "../document-tax.ts";
import type { Event } from "../event.ts";
import type { JournalAccount } from "./journal-accounts.ts";
import type { OutsideMoney } from "./outside-money.ts";
import type { Posting, Transaction } from "./transaction.ts";

export type Movement = Exclude<MoneyEvent, MoneyDocument>;

/** A movement that may be followed by its document. */
export interface Pending {
  readonly stored: Event;
  readonly accountId: number;
  readonly event: Movement;
  /** Counter account of a payment or a correction. */
  readonly source: JournalAccount;
}

function isPaidOut(
  event: Movement,
): event is Extract<Movement, { type: "BalancePaidOut" | "PaidOutReturned" }> {
  return event.type === "BalancePaidOut" || event.type === "PaidOutReturned";
}

export function isDocument(event: MoneyEvent): event is MoneyDocument {
  const { type } = event;
  return type === "InvoiceIssued" || type === "CorrectionIssued" || type === "ReceiptCancelled";
}

/** Returns the account outside from which a movement's money comes, or to which it goes. */
export function sourceOf(event: Movement, outside: OutsideMoney): JournalAccount {
  // The bank or the provider takes it from there when the money leaves.
  if (isPaidOut(event)) return { kind: "ordered" };
  const isOutside =
    event.type === "BalanceCredited" ||
    (event.type === "BalanceAdjusted" && event.data.kind === "top-up-reversed");
  return isOutside ? outside.sourceOf(event.data.reference) : { kind: "adjustments" };
}

/** Builds a movement's transaction. A document of another movement is ignored. */
export function transactionOf(
  { stored, accountId, event, source }: Pending,
  document: MoneyDocument | undefined,
): Transaction {
  const own = document !== undefined && belongs(event, document) ? document : undefined;
  const customer: Posting = { account: { kind: "customer", accountId }, amountCents: customerCents(event) };
  const explained = own === undefined ? counterpartOfNone(event, source) : counterpart(own, source);
  const remainder = [customer, ...explained].reduce((sum, { amountCents }) => sum - amountCents, 0n);
  return {
    time: stored.time,
    day: own === undefined ? stored.time.slice(0, 10) : dayOfDocument(own),
    accountId,
    payee: `Account ${String(accountId)}`,
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
    case "BalancePaidOut":
    case "PaidOutReturned":
      return false;
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
    case "PaidOutReturned":
      return -BigInt(event.data.amountCents);
    case "BalancePaidOut":
      return BigInt(event.data.amountCents);
    case "BalanceCharged":
      return BigInt(event.data.grossCents);
    case "RegistrationRefunded":
    case "RefundGranted":
    case "ChargeRefunded":
      return -BigInt(event.data.grossCents);
  }
}

/** Returns the counter posting of a movement without a document, which only staff's corrections and money that goes back to customers have. */
function counterpartOfNone(event: Movement, source: JournalAccount): readonly Posting[] {
  if (isPaidOut(event)) return [{ account: source, amountCents: -customerCents(event) }];
  if (event.type !== "BalanceAdjusted") return [];
  return [{ account: source, amountCents: BigInt(event.data.amountCents) }];
}

/** Returns the counter posting of a document; amounts of corrections are already negative. */
function counterpart(document: MoneyDocument, source: JournalAccount): readonly Posting[] {
  if (document.type === "ReceiptCancelled")
    return [{ account: source, amountCents: BigInt(document.data.grossCents) }];
  const { netCents, vatCents, grossCents, vatRatePercent, domainId, serverId } = document.data;
  if (document.type === "InvoiceIssued" && document.data.action === "topup")
    return [{ account: source, amountCents: BigInt(grossCents) }];
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
    case "BalancePaidOut":
    case "PaidOutReturned":
      return "payout";
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
  if (isPaidOut(event)) return `${payoutName(event)}: ${event.data.reason}`;
  if (event.type === "BalanceAdjusted") return `${adjustmentName(event.data)}: ${event.data.reason}`;
  return event.type === "BalanceCredited" ? "Payment" : event.type === "BalanceCharged" ? "Charge" : "Refund";
}
