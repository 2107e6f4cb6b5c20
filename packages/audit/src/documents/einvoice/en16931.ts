import { hasVatPrefix } from "@hostledger/core";

import {
  addressOf,
  contactOf,
  nameOf,
  placeholderNotice,
  type Buyer,
  type FrozenDocument,
  type Seller,
} from "../document.ts";

/** A document in the terms of EN 16931-1. The comments name the business terms (BT) and groups (BG). */
export interface ElectronicInvoice {
  /** Invoice number (BT-1). */
  readonly number: string;
  /** Issue date (BT-2), in UTC. */
  readonly issuedAt: string;
  /** Type code (BT-3, UNTDID 1001): 380 invoice, 384 corrected invoice. */
  readonly typeCode: "380" | "384";
  /** Notes (BT-22). */
  readonly notes: readonly string[];
  /** Seller (BG-4). */
  readonly seller: Seller;
  /** Buyer name (BT-44). */
  readonly buyerName: string;
  /** Buyer identifier (BT-46). */
  readonly buyerId: string;
  /** Buyer contact (BT-56); empty if the buyer's name is a person. */
  readonly buyerContact: string;
  /** Buyer address (BG-8: BT-50, BT-53, BT-52, BT-55) and VAT id (BT-48). Unknown values are empty, except the country. */
  readonly buyerAddress: ReturnType<typeof addressOf>;
  /** Preceding invoice (BG-3: BT-25 and BT-26). */
  readonly preceding?: { readonly number: string; readonly issuedAt: string };
  /** Payment means text (BT-82). */
  readonly paymentMeans: string;
  /** VAT breakdown (BG-23); also the category of every line (BG-30), because a document has only one. */
  readonly vat: VatCategory;
  /** Invoice lines (BG-25). */
  readonly lines: readonly ElectronicLine[];
  /** Net totals (BT-106, BT-109, BT-116), which are equal because documents have no allowances and charges. */
  readonly netCents: bigint;
  /** VAT totals (BT-110, BT-117). */
  readonly vatCents: bigint;
  /** Gross total (BT-112) and paid amount (BT-113), which are equal because the balance pays all. */
  readonly grossCents: bigint;
}

/** VAT category, rate and exemption reason (BT-118 to BT-120): `S` is the standard rate, `E` exempt. */
export type VatCategory =
  | { readonly code: "S"; readonly ratePercent: number }
  | { readonly code: "E"; readonly ratePercent: 0; readonly reason: string };

/** A line: name (BT-153), quantity (BT-129), net price (BT-146) and net amount (BT-131). */
export interface ElectronicLine {
  readonly name: string;
  /** Negative for a refund, because prices must not be negative (BR-27). */
  readonly quantity: number;
  readonly unitNetCents: bigint;
  readonly netCents: bigint;
}

/**
 * Converts a document to EN 16931. A correction has type 384 and the event's negative sums. A credit note (381) would need
 * positive sums, and its German name means another document (§14 (2) UStG).
 * @throws Error for a receipt or its cancellation, because payments are not invoiced.
 */
export function electronicInvoice(document: FrozenDocument, seller: Seller, buyer: Buyer): ElectronicInvoice {
  const { kind, number, issuedAt, corrects, netCents, vatCents, grossCents } = document;
  const address = addressOf(buyer);
  if (kind === "receipt" || kind === "cancellation") throw new Error(`the ${kind} ${number} is no invoice`);
  return {
    number,
    issuedAt,
    typeCode: corrects === undefined ? "380" : "384",
    notes: notesOf(document, seller),
    seller,
    buyerName: nameOf(buyer),
    buyerId: String(buyer.accountId),
    buyerContact: contactOf(buyer),
    // EN 16931 requires the buyer's country (BR-11). If it is unknown, VAT is charged as for a domestic sale.
    buyerAddress: {
      ...address,
      country: address.country || seller.country,
      // An old, unchecked VAT id may break BR-CO-09, which would invalidate the whole invoice.
      vatId: hasVatPrefix(address.vatId) ? address.vatId : "",
    },
    ...(corrects === undefined
      ? {}
      : { preceding: { number: corrects.number, issuedAt: corrects.issuedAt } }),
    paymentMeans:
      corrects === undefined ? "Paid from the prepaid balance" : "Returned to the prepaid balance",
    vat: vatOf(document, seller),
    lines: linesOf(document),
    netCents,
    vatCents,
    grossCents,
  };
}

function notesOf({ corrects }: FrozenDocument, { isPlaceholder }: Seller): string[] {
  return [
    ...(isPlaceholder ? [placeholderNotice] : []),
    ...(corrects === undefined ? [] : [`Correction of invoice ${corrects.number}: ${corrects.reason}`]),
  ];
}

/** A rate of zero always means an exemption, because nothing is sold at a zero rate. */
function vatOf({ vatRatePercent }: FrozenDocument, { exemptionReason }: Seller): VatCategory {
  return vatRatePercent === 0
    ? { code: "E", ratePercent: 0, reason: exemptionReason }
    : { code: "S", ratePercent: vatRatePercent };
}

/**
 * Returns the lines with net amounts, as EN 16931 requires. Gross lines have no exact net amounts, because VAT is rounded
 * once per document; they become one line with all names and the document's net amount. A correction is one line too.
 */
function linesOf(document: FrozenDocument): readonly ElectronicLine[] {
  const { corrects, lines, pricesIncludeVat, netCents, grossCents } = document;
  if (corrects !== undefined) {
    const name = `Return of invoice ${corrects.number}`;
    return [{ name, quantity: -1, unitNetCents: -netCents, netCents }];
  }
  if (pricesIncludeVat && netCents !== grossCents) {
    const name = lines.map(({ description }) => description).join("; ");
    return [{ name, quantity: 1, unitNetCents: netCents, netCents }];
  }
  return lines.map(({ description, quantity, unitCents, amountCents }) => ({
    name: description,
    quantity,
    unitNetCents: unitCents,
    netCents: amountCents,
  }));
}
