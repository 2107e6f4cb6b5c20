import { formatEuros } from "@hostledger/core/money";
import XMLBuilder from "fast-xml-builder";

import type { DocumentInput, DocumentLine, FrozenDocument, Seller } from "../document.ts";
import { plain, ratePercent } from "../text.ts";
import {
  electronicInvoice,
  type ElectronicInvoice,
  type InvoiceProfile,
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

/** Specification identifiers (BT-24). XRechnung 3.0 is EN 16931 with further rules of Germany's. */
const specifications: Readonly<Record<InvoiceProfile, string>> = {
  en16931: "urn:cen.eu:en16931:2017",
  xrechnung: "urn:cen.eu:en16931:2017#compliant#urn:xeinkauf.de:kosit:xrechnung_3.0",
};
/** Business process (BT-23), which XRechnung asks for: billing, as Peppol names it. */
const billing = "urn:fdc:peppol.eu:2017:poacc:billing:01:1.0";
/** Schemes of electronic addresses (EAS): e-mail, and the Leitweg-ID. */
const schemes = { email: "EM", leitwegId: "0204" } as const;
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
        ...(invoice.profile === "xrechnung"
          ? { "ram:BusinessProcessSpecifiedDocumentContextParameter": { "ram:ID": billing } }
          : {}),
        "ram:GuidelineSpecifiedDocumentContextParameter": { "ram:ID": specifications[invoice.profile] },
      },
      "rsm:ExchangedDocument": {
        "ram:ID": plain(invoice.number),
        "ram:TypeCode": invoice.typeCode,
        "ram:IssueDateTime": dateTime(invoice.issuedOn),
        "ram:IncludedNote": invoice.notes.map((note) => ({ "ram:Content": plain(note) })),
      },
      "rsm:SupplyChainTradeTransaction": {
        "ram:IncludedSupplyChainTradeLineItem": invoice.lines.map((line, index) =>
          lineItem(line, index + 1, invoice.vat),
        ),
        "ram:ApplicableHeaderTradeAgreement": agreement(invoice),
        "ram:ApplicableHeaderTradeDelivery": delivery(invoice),
        "ram:ApplicableHeaderTradeSettlement": settlement(invoice),
      },
    },
  };
  return `<?xml version="1.0" encoding="UTF-8"?>\n${builder.build(root)}`;
}

function lineItem(line: DocumentLine, position: number, vat: VatCategory): Element {
  return {
    "ram:AssociatedDocumentLineDocument": { "ram:LineID": String(position) },
    "ram:SpecifiedTradeProduct": { "ram:Name": plain(line.description) },
    "ram:SpecifiedLineTradeAgreement": {
      "ram:NetPriceProductTradePrice": { "ram:ChargeAmount": formatEuros(line.unitCents) },
    },
    "ram:SpecifiedLineTradeDelivery": {
      "ram:BilledQuantity": { "@unitCode": unitCode, "#text": String(line.quantity) },
    },
    "ram:SpecifiedLineTradeSettlement": {
      "ram:ApplicableTradeTax": {
        "ram:TypeCode": "VAT",
        "ram:CategoryCode": vat.code,
        ...rateOf(vat),
      },
      "ram:SpecifiedTradeSettlementLineMonetarySummation": {
        "ram:LineTotalAmount": formatEuros(line.amountCents),
      },
    },
  };
}

/** A supply outside the scope of VAT has no rate (BR-O-05). */
function rateOf({ code, rateBasisPoints }: VatCategory): Element {
  return code === "O" ? {} : { "ram:RateApplicablePercent": ratePercent(rateBasisPoints) };
}

function agreement(invoice: ElectronicInvoice): Element {
  const { buyerReference, buyerId, buyerName, buyerContact, buyerAddress, profile } = invoice;
  const { street, postalCode, city, country, vatId } = buyerAddress;
  return {
    ...known(buyerReference, (text) => ({ "ram:BuyerReference": text })),
    "ram:SellerTradeParty": sellerParty(invoice),
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
      ...known(profile === "xrechnung" ? buyerReference : "", (text) =>
        electronicAddress(schemes.leitwegId, text),
      ),
      ...known(vatId, (text) => ({ "ram:SpecifiedTaxRegistration": taxRegistration("VA", text) })),
    },
  };
}

/** Returns an element; none for an empty text, because empty elements are invalid. */
function known(text: string, element: (text: string) => Element): Element {
  return text === "" ? {} : element(plain(text));
}

function sellerParty({
  seller,
  sellerId,
  sellerVatId,
  sellerTaxNumber,
  profile,
}: ElectronicInvoice): Element {
  const { name, street, postalCode, city, country, email = "" } = seller;
  return {
    ...known(sellerId, (text) => ({ "ram:ID": text })),
    "ram:Name": plain(name),
    ...(profile === "xrechnung" ? { "ram:DefinedTradeContact": sellerContact(seller) } : {}),
    "ram:PostalTradeAddress": {
      "ram:PostcodeCode": plain(postalCode),
      "ram:LineOne": plain(street),
      "ram:CityName": plain(city),
      "ram:CountryID": country,
    },
    ...known(email, (text) => electronicAddress(schemes.email, text)),
    "ram:SpecifiedTaxRegistration": [
      ...(sellerTaxNumber === "" ? [] : [taxRegistration("FC", plain(sellerTaxNumber))]),
      ...(sellerVatId === "" ? [] : [taxRegistration("VA", plain(sellerVatId))]),
    ],
  };
}

/** Seller contact (BG-6: BT-41, BT-42, BT-43). */
function sellerContact({ contact, phone, email = "" }: Seller): Element {
  return {
    "ram:PersonName": plain(contact),
    "ram:TelephoneUniversalCommunication": { "ram:CompleteNumber": plain(phone) },
    "ram:EmailURIUniversalCommunication": { "ram:URIID": plain(email) },
  };
}

function electronicAddress(schemeId: string, text: string): Element {
  return { "ram:URIUniversalCommunication": { "ram:URIID": { "@schemeID": schemeId, "#text": text } } };
}

/** @param schemeId `VA` of a VAT id, `FC` of a national tax number (UNTDID 1153). */
function taxRegistration(schemeId: "VA" | "FC", text: string): Element {
  return { "ram:ID": { "@schemeID": schemeId, "#text": text } };
}

/** The day of supply (BT-72); a period is in the settlement. */
function delivery({ supply }: ElectronicInvoice): Element {
  return supply.from === supply.to
    ? { "ram:ActualDeliverySupplyChainEvent": { "ram:OccurrenceDateTime": dateTime(supply.to) } }
    : {};
}

function supplyPeriod({ supply }: ElectronicInvoice): Element {
  if (supply.from === supply.to) return {};
  const { from, to } = supply;
  return {
    "ram:BillingSpecifiedPeriod": { "ram:StartDateTime": dateTime(from), "ram:EndDateTime": dateTime(to) },
  };
}

function settlement(invoice: ElectronicInvoice): Element {
  const { paymentMeans, vat, netCents, vatCents, grossCents, preceding } = invoice;
  return {
    "ram:InvoiceCurrencyCode": currency,
    "ram:SpecifiedTradeSettlementPaymentMeans": {
      "ram:TypeCode": clearing,
      "ram:Information": plain(paymentMeans),
    },
    "ram:ApplicableTradeTax": {
      "ram:CalculatedAmount": formatEuros(vatCents),
      "ram:TypeCode": "VAT",
      ...(vat.code === "S" ? {} : { "ram:ExemptionReason": plain(vat.reason) }),
      "ram:BasisAmount": formatEuros(netCents),
      "ram:CategoryCode": vat.code,
      ...(vat.code === "S" || vat.reasonCode === undefined
        ? {}
        : { "ram:ExemptionReasonCode": vat.reasonCode }),
      ...rateOf(vat),
    },
    ...supplyPeriod(invoice),
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
            "ram:FormattedIssueDateTime": { "qdt:DateTimeString": dateOf(preceding.issuedOn) },
          },
        }),
  };
}

function dateTime(day: string): Element {
  return { "udt:DateTimeString": dateOf(day) };
}

/** Returns a day in the format 102 (UNTDID 2379): CCYYMMDD. */
function dateOf(day: string): Element {
  return { "@format": "102", "#text": day.replaceAll("-", "") };
}

export const eInvoiceType = "application/xml";

/** Returns true for invoices and corrections; receipts and their cancellations are no invoices. */
export function hasEInvoice({ kind }: Pick<FrozenDocument, "kind">): boolean {
  return kind === "invoice" || kind === "correction";
}

/** An electronic invoice, and which rules it follows. */
export interface WrittenInvoice {
  readonly xml: string;
  readonly profile: InvoiceProfile;
}

/** Writes an invoice or correction as XML. Equal documents have equal text. @throws Error for other kinds */
export function writeEInvoice(input: DocumentInput): WrittenInvoice {
  const invoice = electronicInvoice(input);
  return { xml: crossIndustryInvoice(invoice), profile: invoice.profile };
}
