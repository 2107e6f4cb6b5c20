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

/**
 * A document in the terms of EN 16931-1, the semantic model of the European electronic invoice. Each member names the business
 * term (BT) that it is.
 */
export interface ElectronicInvoice {
  /** BT-1. */
  readonly number: string;
  /** BT-2, in UTC. */
  readonly issuedAt: string;
  /** BT-3 (UNTDID 1001): 380 invoice, 384 corrected invoice. */
  readonly typeCode: "380" | "384";
  /** BT-22. */
  readonly notes: readonly string[];
  /** BG-4. */
  readonly seller: Seller;
  /** BT-44. */
  readonly buyerName: string;
  /** BT-46. */
  readonly buyerId: string;
  /** BT-56; empty where the buyer is named as a person. */
  readonly buyerContact: string;
  /** BG-8 (BT-50, BT-53, BT-52, BT-55) and BT-48: what is not known is empty, but for the country. */
  readonly buyerAddress: ReturnType<typeof addressOf>;
  /** BG-3: BT-25 and BT-26. */
  readonly preceding?: { readonly number: string; readonly issuedAt: string };
  /** BT-82. */
  readonly paymentMeans: string;
  /** BG-23; also the category of every line (BG-30), since a document has one. */
  readonly vat: VatCategory;
  /** BG-25. */
  readonly lines: readonly ElectronicLine[];
  /** BT-106, BT-109 and BT-116: there are no allowances and charges on the document. */
  readonly netCents: bigint;
  /** BT-110 and BT-117. */
  readonly vatCents: bigint;
  /** BT-112, and BT-113 since everything is paid from the balance. */
  readonly grossCents: bigint;
}

/** BT-118 to BT-120: `S` is the standard rate, `E` exempt. */
export type VatCategory =
  | { readonly code: "S"; readonly ratePercent: number }
  | { readonly code: "E"; readonly ratePercent: 0; readonly reason: string };

/** One line: BT-153, BT-129, BT-146 and BT-131. */
export interface ElectronicLine {
  readonly name: string;
  /** Below zero where something is returned: a price never is (BR-27). */
  readonly quantity: number;
  readonly unitNetCents: bigint;
  readonly netCents: bigint;
}

/**
 * Puts a document into the terms of EN 16931. Corrections are type 384 with the negated sums that the event froze, not credit
 * notes (381), whose sums would have to be turned round, and whose German name means another document (§14 (2) UStG).
 * @throws Error for a receipt and its cancellation: a payment is no supply, so that there is nothing to invoice.
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
    // The model asks for the buyer's country (BR-11). Where it is not known, VAT is charged as for a domestic sale.
    buyerAddress: {
      ...address,
      country: address.country || seller.country,
      // Profiles of before VAT ids were checked may have one that breaks BR-CO-09, and with it the whole invoice.
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

/** A rate of zero is an exemption here: nothing is sold at a zero rate. */
function vatOf({ vatRatePercent }: FrozenDocument, { exemptionReason }: Seller): VatCategory {
  return vatRatePercent === 0
    ? { code: "E", ratePercent: 0, reason: exemptionReason }
    : { code: "S", ratePercent: vatRatePercent };
}

/**
 * The lines of the model are net. Net lines stand as they were frozen. Gross lines have no net amount of their own, since VAT is
 * rounded once, on the document: they become one line with the document's net amount, which names them all, so
 * that no amount is made up. So does what a correction returns.
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
