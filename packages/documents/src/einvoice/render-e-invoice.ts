import type { Buyer, FrozenDocument, Seller } from "../document.ts";
import { crossIndustryInvoice } from "./cii.ts";
import { electronicInvoice } from "./en16931.ts";

/** The media type of an electronic invoice. */
export const eInvoiceType = "application/xml";

/** True for what EN 16931 has a document for: not for a receipt, which is no invoice. */
export function hasEInvoice({ kind }: Pick<FrozenDocument, "kind">): boolean {
  return kind !== "receipt";
}

/**
 * Renders an invoice or a correction as XML per EN 16931, in the CII syntax. The same document is the same text.
 * @throws Error for a receipt: ask `hasEInvoice` first.
 */
export function renderEInvoice(document: FrozenDocument, seller: Seller, buyer: Buyer): string {
  return crossIndustryInvoice(electronicInvoice(document, seller, buyer));
}
