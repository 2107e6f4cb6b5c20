import type { ChargeBalance, CreditBalance, RefundRegistration, ReverseTopUp } from "./account.commands.ts";
import type {
  ChargeSubject,
  CorrectionIssued,
  FrozenLine,
  InvoiceIssued,
  ReceiptCancelled,
} from "./account.events.ts";
import type { Credit, OpenAccountState } from "./account.state.ts";
import type { Charge } from "./charge.ts";
import {
  buyerText,
  issueDate,
  keptUntilYear,
  languageOf,
  supplyDays,
  templateVersion,
  termsOf,
  type DocumentTerms,
  type IssuingTerms,
} from "./document-terms.ts";
import type { InvoiceLine, Totals } from "../pricing/totals.ts";
import type { ChargeQuote } from "./tax-of-charge.ts";
import { documentNumber, type DocumentSeries } from "./document-number.ts";

/** Builds the final documents of balance movements. Each is appended together with its movement. */

export function invoiceOf(
  charge: ChargeBalance["data"],
  { totals, businessDate, tax }: Pick<ChargeQuote, "totals" | "businessDate" | "tax">,
  state: OpenAccountState,
): InvoiceIssued {
  const { supply = null, sold = null } = charge;
  const terms = termsOf(charge);
  return {
    type: "InvoiceIssued",
    data: {
      invoiceId: charge.invoiceId,
      number: nextNumber("invoice", state, businessDate),
      action: charge.action,
      cause: charge.chargeId,
      pricesIncludeVat: charge.pricesIncludeVat,
      lines: charge.lines.map(frozen),
      ...written(totals),
      ...subjectOf(charge),
      issuedAt: charge.at,
      ...frozenTerms(terms, state, {
        businessDate,
        tax,
        supply: supply && supplyDays(supply, terms.seller.timeZone),
        sold,
      }),
    },
  };
}

/** Returns the receipt of a payment. It has no VAT, because only the later invoice shows the purchase. */
export function receiptOf(credit: CreditBalance["data"], state: OpenAccountState): InvoiceIssued {
  const { amountCents, reference, invoiceId, at } = credit;
  const terms = termsOf(credit);
  const businessDate = issueDate(terms, at, state);
  return {
    type: "InvoiceIssued",
    data: {
      invoiceId,
      number: nextNumber("receipt", state, businessDate),
      action: "topup",
      cause: reference,
      pricesIncludeVat: false,
      lines: [frozen({ description: "Balance top-up", quantity: 1, unitNetCents: amountCents })],
      ...written({
        netCents: amountCents,
        vatRateBasisPoints: 0n,
        vatCents: 0n,
        grossCents: amountCents,
      }),
      ...forNothing,
      issuedAt: at,
      ...frozenTerms(terms, state, { businessDate, tax: null, supply: null, sold: null }),
    },
  };
}

/** Returns the correction of a refund: it names the invoice, repeats its taxes and negates the refunded sums. */
export function correctionOf(
  refund: Pick<RefundRegistration["data"], "correctionId" | "reason" | "terms" | "at">,
  charge: Charge,
  part: Totals,
  state: OpenAccountState,
): CorrectionIssued {
  const { at } = refund;
  const terms = termsOf(refund);
  const { tax, supply, sold } = charge;
  const businessDate = issueDate(terms, at, state);
  return {
    type: "CorrectionIssued",
    data: {
      correctionId: refund.correctionId,
      number: nextNumber("correction", state, businessDate),
      correctsInvoiceId: charge.invoiceId,
      correctsNumber: charge.invoiceNumber,
      chargeId: charge.chargeId,
      ...written({
        netCents: -part.netCents,
        vatRateBasisPoints: part.vatRateBasisPoints,
        vatCents: -part.vatCents,
        grossCents: -part.grossCents,
      }),
      ...subjectOf(charge),
      reason: refund.reason,
      issuedAt: at,
      ...frozenTerms(terms, state, { businessDate, tax, supply, sold }),
    },
  };
}

/** Returns the cancellation of a reversed payment's receipt: it names the receipt and negates its sum. */
export function cancellationOf(
  reversal: ReverseTopUp["data"],
  { invoiceId, number, amountCents }: Credit,
  state: OpenAccountState,
): ReceiptCancelled {
  const { reference, correctionId, reason, at } = reversal;
  const terms = termsOf(reversal);
  const businessDate = issueDate(terms, at, state);
  return {
    type: "ReceiptCancelled",
    data: {
      correctionId,
      number: nextNumber("correction", state, businessDate),
      correctsInvoiceId: invoiceId,
      correctsNumber: number,
      reference,
      grossCents: String(-amountCents),
      reason,
      issuedAt: at,
      ...frozenTerms(terms, state, { businessDate, tax: null, supply: null, sold: null }),
    },
  };
}

/** Empty subject of a receipt, because the later purchase is unknown. */
const forNothing: ChargeSubject = { duration: 0, domainId: null, serverId: null, planId: null };

export function subjectOf({ duration, domainId, serverId, planId }: ChargeSubject): ChargeSubject {
  return { duration, domainId, serverId, planId };
}

/** @param date business date or time of the document; its year is part of the number. */
function nextNumber(series: DocumentSeries, state: OpenAccountState, date: string): string {
  const count = state.documentCounts[series] + 1;
  return documentNumber(series, state.accountId, count, date, state.documentSeries);
}

function frozenTerms(
  terms: IssuingTerms,
  { accountId, name, profile, erasedAt }: OpenAccountState,
  own: Pick<DocumentTerms, "businessDate" | "supply" | "tax" | "sold">,
): Pick<InvoiceIssued["data"], "accountId" | "terms" | "buyer" | "keptUntilYear"> {
  return {
    accountId,
    terms: {
      ...own,
      seller: terms.seller,
      buyerVersion: profile.version,
      language: languageOf(profile),
      templateVersion,
    },
    // After an erasure, the corrected invoice still names the buyer.
    buyer: erasedAt === undefined ? buyerText(name, profile) : "",
    keptUntilYear: keptUntilYear(own.businessDate, terms),
  };
}

function frozen({ description, quantity, unitNetCents }: InvoiceLine): FrozenLine {
  return {
    description,
    quantity,
    unitCents: String(unitNetCents),
    amountCents: String(BigInt(quantity) * unitNetCents),
  };
}

function written(
  totals: Totals,
): Pick<CorrectionIssued["data"], "netCents" | "vatRatePercent" | "vatCents" | "grossCents"> {
  return {
    netCents: String(totals.netCents),
    vatRatePercent: Number(totals.vatRateBasisPoints) / 100,
    vatCents: String(totals.vatCents),
    grossCents: String(totals.grossCents),
  };
}
