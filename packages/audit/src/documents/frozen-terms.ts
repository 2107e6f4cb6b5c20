import {
  placeholderSeller as unnamedSeller,
  type DocumentTerms,
  type SellerVersion,
  type TaxTreatment,
} from "@hostledger/core";

import type { FrozenDocument, Seller } from "./document.ts";

/** Terms in a document's event; older documents have none. */
export interface IssuedTerms {
  readonly kind: FrozenDocument["kind"];
  /** ISO 8601 UTC. */
  readonly issuedAt: string;
  readonly vatRateBasisPoints: number;
  /** Null on documents from before the terms. */
  readonly terms: DocumentTerms | null;
  /** The first seller; older documents without VAT show its exemption reason. */
  readonly seller: Seller;
}

/** Layout of documents from before the terms. */
const firstTemplate = 1;

type TermsOfDocument = Pick<
  FrozenDocument,
  "businessDate" | "supply" | "tax" | "language" | "templateVersion"
>;

/**
 * Returns date, supply, taxes, language and layout of a document as its event froze them. A document from before the terms
 * has its day in UTC, is in English, and has the standard rate or the exemption that its rate means.
 */
export function termsOfDocument(issued: IssuedTerms): TermsOfDocument {
  const { kind, terms, issuedAt } = issued;
  const isPayment = kind === "receipt" || kind === "cancellation";
  if (terms === null)
    return {
      businessDate: issuedAt.slice(0, 10),
      tax: isPayment ? null : flatTax(issued),
      language: "en",
      templateVersion: firstTemplate,
    };
  const { businessDate, supply, tax, language } = terms;
  return {
    businessDate,
    tax: isPayment ? null : (tax ?? flatTax(issued)),
    language,
    templateVersion: terms.templateVersion,
    ...(supply === null ? {} : { supply }),
  };
}

function flatTax({ vatRateBasisPoints: rateBasisPoints, seller }: IssuedTerms): TaxTreatment {
  const { country, exemptionReason } = seller;
  return rateBasisPoints === 0
    ? { category: "E", country, rateBasisPoints: 0, reason: "exempted", legalText: exemptionReason }
    : { category: "S", country, rateBasisPoints, reason: "flat", legalText: "" };
}

/** Returns the seller of a document as its event, or the event of the first seller, describes it. */
export function sellerOfVersion(version: Omit<SellerVersion, "isSmallBusiness" | "timeZone">): Seller {
  const { name, street, postalCode, city, country, vatId, taxNumber, contact, phone, email } = version;
  return {
    name,
    street,
    postalCode,
    city,
    country,
    vatId,
    taxNumber,
    contact,
    phone,
    ...(email === "" ? {} : { email }),
    exemptionReason: version.exemptionReason,
    isPlaceholder: version.version === 0,
  };
}

/** Stands in for the seller until the operator names one. */
export const placeholderSeller = sellerOfVersion(unnamedSeller);
