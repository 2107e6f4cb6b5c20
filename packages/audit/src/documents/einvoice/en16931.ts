import { hasVatPrefix, isLeitwegId, type TaxCategory } from "@hostledger/core";

import {
  addressOf,
  contactOf,
  nameOf,
  netLines,
  supplyOf,
  taxIdOf,
  type DocumentInput,
  type DocumentLine,
  type FrozenDocument,
  type Seller,
  type SupplyPeriod,
} from "../document.ts";
import type { DocumentTexts } from "../languages/document-texts.ts";
import { textsIn } from "../languages/languages.ts";

/** Which rules an electronic invoice follows (BT-24): those of EN 16931, or also Germany's for public buyers. */
export type InvoiceProfile = "en16931" | "xrechnung";

/** A document in the terms of EN 16931-1. The comments name the business terms (BT) and groups (BG). */
export interface ElectronicInvoice {
  readonly profile: InvoiceProfile;
  /** Invoice number (BT-1). */
  readonly number: string;
  /** Issue date (BT-2), YYYY-MM-DD. */
  readonly issuedOn: string;
  /** Type code (BT-3, UNTDID 1001): 380 invoice, 384 corrected invoice. */
  readonly typeCode: "380" | "384";
  /** Notes (BT-22). */
  readonly notes: readonly string[];
  /** Buyer reference (BT-10); the Leitweg-ID of a public buyer; empty for others. */
  readonly buyerReference: string;
  /** Seller (BG-4) without its numbers. */
  readonly seller: Seller;
  /** Seller identifier (BT-29), where the document has no VAT id by which buyers could know the seller (BR-CO-26). */
  readonly sellerId: string;
  /** Seller VAT identifier (BT-31) and tax registration identifier (BT-32); empty if not to be named. */
  readonly sellerVatId: string;
  readonly sellerTaxNumber: string;
  /** Buyer name (BT-44). */
  readonly buyerName: string;
  /** Buyer identifier (BT-46). */
  readonly buyerId: string;
  /** Buyer contact (BT-56); empty if the buyer's name is a person. */
  readonly buyerContact: string;
  /** Buyer address (BG-8: BT-50, BT-53, BT-52, BT-55) and VAT id (BT-48). Unknown values are empty, except the country. */
  readonly buyerAddress: ReturnType<typeof addressOf>;
  /** Preceding invoice (BG-3: BT-25 and BT-26). */
  readonly preceding?: { readonly number: string; readonly issuedOn: string };
  /** Invoicing period (BG-14); equal days are the actual delivery date (BT-72). */
  readonly supply: SupplyPeriod;
  /** Payment means text (BT-82). */
  readonly paymentMeans: string;
  /** VAT breakdown (BG-23); also the category of every line (BG-30), because a document has only one. */
  readonly vat: VatCategory;
  /**
   * Invoice lines (BG-25): name (BT-153), quantity (BT-129), net price (BT-146) and net amount (BT-131). The quantity is
   * negative for a refund, because prices must not be negative (BR-27).
   */
  readonly lines: readonly DocumentLine[];
  /** Net totals (BT-106, BT-109, BT-116), which are equal because documents have no allowances and charges. */
  readonly netCents: bigint;
  /** VAT totals (BT-110, BT-117). */
  readonly vatCents: bigint;
  /** Gross total (BT-112) and paid amount (BT-113), which are equal because the balance pays all. */
  readonly grossCents: bigint;
}

/** VAT category, rate in basis points and exemption reason (BT-118 to BT-121). A document outside the scope has no rate. */
export type VatCategory =
  | { readonly code: "S"; readonly rateBasisPoints: number }
  | {
      readonly code: Exclude<TaxCategory, "S">;
      readonly rateBasisPoints: 0;
      readonly reason: string;
      /** Code of the list VATEX; absent where the list names no such exemption. */
      readonly reasonCode?: string;
    };

/**
 * Converts a document to EN 16931. A correction has type 384 and the event's negative sums. A credit note (381) would need
 * positive sums, and its German name means another document (§14 (2) UStG).
 * @throws Error for a receipt or its cancellation, because payments are not invoiced.
 */
export function electronicInvoice(input: DocumentInput): ElectronicInvoice {
  const { document, seller, buyer } = input;
  const { kind, number, businessDate, language, tax, corrects, netCents, vatCents, grossCents } = document;
  if (kind === "receipt" || kind === "cancellation") throw new Error(`the ${kind} ${number} is no invoice`);
  const address = addressOf(buyer);
  const texts = textsIn(language);
  const taxId = taxIdOf(seller, tax);
  const sellerVatId = taxId.kind === "vatId" && tax?.category !== "O" ? taxId.text : "";
  return {
    profile: lackingOfXRechnung(input).length === 0 ? "xrechnung" : "en16931",
    number,
    issuedOn: businessDate,
    typeCode: corrects === undefined ? "380" : "384",
    notes: notesOf(document, seller, texts),
    buyerReference: address.leitwegId,
    seller,
    sellerId: sellerVatId === "" ? taxId.text : "",
    sellerVatId,
    sellerTaxNumber: seller.taxNumber,
    buyerName: nameOf(buyer),
    buyerId: String(buyer.accountId),
    buyerContact: contactOf(buyer),
    buyerAddress: {
      ...address,
      // EN 16931 requires the buyer's country (BR-11). If it is unknown, VAT is charged as for a domestic sale.
      country: address.country || seller.country,
      // An old, unchecked VAT id may break BR-CO-09, which would invalidate the whole invoice; BR-O-02 forbids any.
      vatId: tax?.category !== "O" && hasVatPrefix(address.vatId) ? address.vatId : "",
    },
    ...(corrects === undefined
      ? {}
      : { preceding: { number: corrects.number, issuedOn: corrects.businessDate } }),
    supply: supplyOf(document),
    paymentMeans: corrects === undefined ? texts.fromBalance : texts.toBalance,
    vat: vatOf(document, texts),
    lines: netLines(document, texts),
    netCents,
    vatCents,
    grossCents,
  };
}

/**
 * Returns the fields that an XRechnung lacks, as `seller.phone`; none if the document can be one. Germany's public buyers
 * are addressed by a Leitweg-ID, and ask for the seller's contact (BR-DE-2, BR-DE-5 to BR-DE-7) and the buyer's place
 * (BR-DE-8, BR-DE-9).
 */
export function lackingOfXRechnung({ seller, buyer }: DocumentInput): readonly string[] {
  const { leitwegId, city, postalCode } = addressOf(buyer);
  const needed = {
    "buyer.leitwegId": isLeitwegId(leitwegId),
    "buyer.city": city !== "",
    "buyer.postalCode": postalCode !== "",
    "seller.contact": seller.contact !== "",
    "seller.phone": /\d.*\d.*\d/u.test(seller.phone),
    "seller.email": (seller.email ?? "") !== "",
  };
  return Object.entries(needed)
    .filter(([, isThere]) => !isThere)
    .map(([field]) => field);
}

function notesOf({ corrects }: FrozenDocument, { isPlaceholder }: Seller, texts: DocumentTexts): string[] {
  return [
    ...(isPlaceholder ? [texts.placeholderNotice] : []),
    ...(corrects === undefined ? [] : [texts.correctionNote(corrects.number, corrects.reason)]),
  ];
}

/** Codes of exemptions that have one (VATEX list of the Connecting Europe Facility). */
const reasonCodes: Readonly<Partial<Record<TaxCategory, string>>> = { AE: "VATEX-EU-AE", O: "VATEX-EU-O" };

/** @throws Error for a document without a tax treatment, which only payments have. */
function vatOf({ number, tax }: FrozenDocument, texts: DocumentTexts): VatCategory {
  if (tax === null) throw new Error(`the document ${number} has no tax treatment`);
  const { category, rateBasisPoints, legalText } = tax;
  if (category === "S") return { code: "S", rateBasisPoints };
  const reasonCode = reasonCodes[category];
  return {
    code: category,
    rateBasisPoints: 0,
    reason: legalText || texts.exempt,
    ...(reasonCode === undefined ? {} : { reasonCode }),
  };
}
