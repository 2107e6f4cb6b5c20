import { periodOf, supplyDays, type TaxTreatment } from "@hostledger/core";

import type { MoneyDocument } from "./account-history.ts";
import { parseMembers, textMember } from "./event.ts";

/** Tax treatment and supply of a document. */
export interface DocumentTax extends Omit<TaxTreatment, "legalText" | "rateBasisPoints"> {
  /** 25.5 is 25.5 %. */
  readonly ratePercent: number;
  /** Date of the document (`dayOfDocument`). */
  readonly businessDate: string;
  /** The buyer's VAT id; empty if the buyer has none or cannot be read. */
  readonly buyerVatId: string;
  /** First and last day of the supply; null if no period is known. */
  readonly supply: { readonly from: string; readonly to: string } | null;
  /** True on older documents without a period: it is derived from the sold service and the date. */
  readonly isSupplyEstimated: boolean;
}

type TaxedDocument = Extract<MoneyDocument, { type: "InvoiceIssued" | "CorrectionIssued" }>;

/**
 * Returns the date of a document, YYYY-MM-DD: its business date in the seller's time zone; the UTC day of its issue on an older
 * document. All books and reports date by it.
 */
export function dayOfDocument({ data: { terms, issuedAt } }: MoneyDocument): string {
  return terms?.businessDate ?? issuedAt.slice(0, 10);
}

/** Returns how an invoice or a correction is taxed; undefined for receipts, which are not taxed. */
export function documentTaxOf(document: MoneyDocument): DocumentTax | undefined {
  if (document.type === "ReceiptCancelled") return undefined;
  if (document.type === "InvoiceIssued" && document.data.action === "topup") return undefined;
  const { terms, buyer, vatRatePercent: ratePercent } = document.data;
  const businessDate = dayOfDocument(document);
  if (terms === null) {
    const [category, reason] = ratePercent === 0 ? (["E", "exempted"] as const) : (["S", "flat"] as const);
    return {
      category,
      reason,
      country: "",
      ratePercent,
      businessDate,
      buyerVatId: "",
      supply: estimatedSupply(document),
      isSupplyEstimated: true,
    };
  }
  if (terms.tax === null) return undefined;
  const { category, reason, country } = terms.tax;
  return {
    category,
    reason,
    country,
    ratePercent,
    businessDate,
    buyerVatId: textMember(parseMembers(buyer), "vatId") ?? "",
    supply: terms.supply,
    isSupplyEstimated: false,
  };
}

/** Returns the period of an older document: years of a domain or months of a server from its date; without these its day. */
function estimatedSupply(document: TaxedDocument): DocumentTax["supply"] {
  const { duration, domainId, issuedAt } = document.data;
  const day = dayOfDocument(document);
  if (duration === 0) return { from: day, to: day };
  return supplyDays(periodOf(issuedAt, domainId === null ? duration : duration * 12), "UTC");
}
