import { formatEuros } from "@hostledger/core/money";
import XMLBuilder from "fast-xml-builder";

import type { Buyer, FrozenDocument, Seller } from "../document.ts";
import { dayOf, plain } from "../text.ts";
import {
  electronicInvoice,
  type ElectronicInvoice,
  type ElectronicLine,
  type VatCategory,
} from "./en16931.ts";

/** An XML element in the schema's order: children by qualified name, attributes under `@`, text under `#text`. */
type Element = Readonly<{ [name: string]: string | Element | readonly Element[] | undefined }>;

const namespaces = {
  "@xmlns:rsm": "urn:un:unece:uncefact:data:standard:CrossIndustryInvoice:100",
  "@xmlns:ram": "urn:un:unece:uncefact:data:standard:ReusableAggregateBusinessInformationEntity:100",
  "@xmlns:udt": "urn:un:unece:uncefact:data:standard:UnqualifiedDataType:100",
  "@xmlns:qdt": "urn:un:unece:uncefact:data:standard:QualifiedDataType:100",
} as const;

/** Specification identifier (BT-24): plain EN 16931. XRechnung requires a buyer's address and contact. */
const specification = "urn:cen.eu:en16931:2017";
const currency = "EUR";
/** Unit of measure (BT-130, UN/ECE Recommendation 20): one piece. */
const unitCode = "C62";
/** Payment means (BT-81, UNTDID 4461): clearing between partners, because the balance was paid in advance. */
const clearing = "97";

const builder = new XMLBuilder({
  attributeNamePrefix: "@",
  ignoreAttributes: false,
  format: true,
  indentBy: "  ",
  suppressEmptyNode: false,
});

/** Writes an invoice in the CII syntax (UN/CEFACT Cross Industry Invoice) of EN 16931. Equal invoices have equal bytes. */
function crossIndustryInvoice(invoice: ElectronicInvoice): string {
  const root: Element = {
    "rsm:CrossIndustryInvoice": {
      ...namespaces,
      "rsm:ExchangedDocumentContext": {
        "ram:GuidelineSpecifiedDocumentContextParameter": { "ram:ID": specification },
      },
      "rsm:ExchangedDocument": {
        "ram:ID": plain(invoice.number),
        "ram:TypeCode": invoice.typeCode,
        "ram:IssueDateTime": { "udt:DateTimeString": dateOf(invoice.issuedAt) },
        "ram:IncludedNote": invoice.notes.map((note) => ({ "ram:Content": plain(note) })),
      },
      "rsm:SupplyChainTradeTransaction": {
        "ram:IncludedSupplyChainTradeLineItem": invoice.lines.map((line, index) =>
          lineItem(line, index + 1, invoice.vat),
        ),
        "ram:ApplicableHeaderTradeAgreement": agreement(invoice),
        "ram:ApplicableHeaderTradeDelivery": {},
        "ram:ApplicableHeaderTradeSettlement": settlement(invoice),
      },
    },
  };
  return `<?xml version="1.0" encoding="UTF-8"?>\n${builder.build(root)}`;
}

function lineItem(line: ElectronicLine, position: number, vat: VatCategory): Element {
  return {
    "ram:AssociatedDocumentLineDocument": { "ram:LineID": String(position) },
    "ram:SpecifiedTradeProduct": { "ram:Name": plain(line.name) },
    "ram:SpecifiedLineTradeAgreement": {
      "ram:NetPriceProductTradePrice": { "ram:ChargeAmount": formatEuros(line.unitNetCents) },
    },
    "ram:SpecifiedLineTradeDelivery": {
      "ram:BilledQuantity": { "@unitCode": unitCode, "#text": String(line.quantity) },
    },
    "ram:SpecifiedLineTradeSettlement": {
      "ram:ApplicableTradeTax": {
        "ram:TypeCode": "VAT",
        "ram:CategoryCode": vat.code,
        "ram:RateApplicablePercent": String(vat.ratePercent),
      },
      "ram:SpecifiedTradeSettlementLineMonetarySummation": {
        "ram:LineTotalAmount": formatEuros(line.netCents),
      },
    },
  };
}

function agreement({ seller, buyerId, buyerName, buyerContact, buyerAddress }: ElectronicInvoice): Element {
  const { street, postalCode, city, country, vatId } = buyerAddress;
  return {
    "ram:SellerTradeParty": sellerParty(seller),
    "ram:BuyerTradeParty": {
      "ram:ID": buyerId,
      "ram:Name": plain(buyerName),
      ...known(buyerContact, (text) => ({ "ram:DefinedTradeContact": { "ram:PersonName": text } })),
      "ram:PostalTradeAddress": {
        ...known(postalCode, (text) => ({ "ram:PostcodeCode": text })),
        ...known(street, (text) => ({ "ram:LineOne": text })),
        ...known(city, (text) => ({ "ram:CityName": text })),
        "ram:CountryID": country,
      },
      ...known(vatId, (text) => ({
        "ram:SpecifiedTaxRegistration": { "ram:ID": { "@schemeID": "VA", "#text": text } },
      })),
    },
  };
}

/** Returns an element; none for an empty text, because empty elements are invalid. */
function known(text: string, element: (text: string) => Element): Element {
  return text === "" ? {} : element(plain(text));
}

function sellerParty({ name, street, postalCode, city, country, vatId, email }: Seller): Element {
  return {
    "ram:Name": plain(name),
    "ram:PostalTradeAddress": {
      "ram:PostcodeCode": plain(postalCode),
      "ram:LineOne": plain(street),
      "ram:CityName": plain(city),
      "ram:CountryID": country,
    },
    ...(email === undefined
      ? {}
      : { "ram:URIUniversalCommunication": { "ram:URIID": { "@schemeID": "EM", "#text": plain(email) } } }),
    "ram:SpecifiedTaxRegistration": { "ram:ID": { "@schemeID": "VA", "#text": vatId } },
  };
}

function settlement({
  paymentMeans,
  vat,
  netCents,
  vatCents,
  grossCents,
  preceding,
}: ElectronicInvoice): Element {
  return {
    "ram:InvoiceCurrencyCode": currency,
    "ram:SpecifiedTradeSettlementPaymentMeans": {
      "ram:TypeCode": clearing,
      "ram:Information": paymentMeans,
    },
    "ram:ApplicableTradeTax": {
      "ram:CalculatedAmount": formatEuros(vatCents),
      "ram:TypeCode": "VAT",
      ...(vat.code === "E" ? { "ram:ExemptionReason": plain(vat.reason) } : {}),
      "ram:BasisAmount": formatEuros(netCents),
      "ram:CategoryCode": vat.code,
      "ram:RateApplicablePercent": String(vat.ratePercent),
    },
    "ram:SpecifiedTradeSettlementHeaderMonetarySummation": {
      "ram:LineTotalAmount": formatEuros(netCents),
      "ram:TaxBasisTotalAmount": formatEuros(netCents),
      "ram:TaxTotalAmount": { "@currencyID": currency, "#text": formatEuros(vatCents) },
      "ram:GrandTotalAmount": formatEuros(grossCents),
      // The balance paid the invoice when it was issued, so nothing is due.
      "ram:TotalPrepaidAmount": formatEuros(grossCents),
      "ram:DuePayableAmount": formatEuros(0n),
    },
    ...(preceding === undefined
      ? {}
      : {
          "ram:InvoiceReferencedDocument": {
            "ram:IssuerAssignedID": plain(preceding.number),
            "ram:FormattedIssueDateTime": { "qdt:DateTimeString": dateOf(preceding.issuedAt) },
          },
        }),
  };
}

/** Returns a day in the format 102 (UNTDID 2379): CCYYMMDD. */
function dateOf(instant: string): Element {
  return { "@format": "102", "#text": dayOf(instant).replaceAll("-", "") };
}

export const eInvoiceType = "application/xml";

/** Returns true for invoices and corrections; receipts and their cancellations are no invoices. */
export function hasEInvoice({ kind }: Pick<FrozenDocument, "kind">): boolean {
  return kind === "invoice" || kind === "correction";
}

/** Renders an invoice or correction as XML. Equal documents have equal text. @throws Error for other kinds */
export function renderEInvoice(document: FrozenDocument, seller: Seller, buyer: Buyer): string {
  return crossIndustryInvoice(electronicInvoice(document, seller, buyer));
}
