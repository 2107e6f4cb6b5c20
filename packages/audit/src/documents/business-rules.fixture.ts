import { XMLParser } from "fast-xml-parser";
import { z } from "zod";

/** The business rules of EN 16931-1 for our documents, written from the standard's text. Amounts are in cents. */

const amount = z.string().regex(/^-?\d+\.\d{2}$/);
const withAttributes = z.looseObject({ "#text": z.string() });
const dateTime = z.object({ DateTimeString: withAttributes });
const tax = z.object({
  CalculatedAmount: amount,
  TypeCode: z.literal("VAT"),
  ExemptionReason: z.string().optional(),
  BasisAmount: amount,
  CategoryCode: z.enum(["S", "AE", "O", "E"]),
  ExemptionReasonCode: z.string().optional(),
  RateApplicablePercent: z.string().optional(),
});
const line = z.object({
  AssociatedDocumentLineDocument: z.object({ LineID: z.string() }),
  SpecifiedTradeProduct: z.object({ Name: z.string().min(1) }),
  SpecifiedLineTradeAgreement: z.object({ NetPriceProductTradePrice: z.object({ ChargeAmount: amount }) }),
  SpecifiedLineTradeDelivery: z.object({ BilledQuantity: withAttributes }),
  SpecifiedLineTradeSettlement: z.object({
    ApplicableTradeTax: z.object({
      CategoryCode: z.string(),
      RateApplicablePercent: z.string().optional(),
    }),
    SpecifiedTradeSettlementLineMonetarySummation: z.object({ LineTotalAmount: amount }),
  }),
});
const party = z.object({
  ID: z.string().optional(),
  Name: z.string().min(1),
  PostalTradeAddress: z.looseObject({ CountryID: z.string().regex(/^[A-Z]{2}$/) }),
  URIUniversalCommunication: z.object({ URIID: withAttributes }).optional(),
  SpecifiedTaxRegistration: z.array(z.object({ ID: withAttributes })).default([]),
});
const invoice = z.object({
  CrossIndustryInvoice: z.object({
    ExchangedDocumentContext: z.object({
      GuidelineSpecifiedDocumentContextParameter: z.object({
        ID: z.enum([
          "urn:cen.eu:en16931:2017",
          "urn:cen.eu:en16931:2017#compliant#urn:xeinkauf.de:kosit:xrechnung_3.0",
        ]),
      }),
    }),
    ExchangedDocument: z.object({
      ID: z.string().min(1),
      TypeCode: z.enum(["380", "384"]),
      IssueDateTime: z.object({ DateTimeString: withAttributes }),
      IncludedNote: z.array(z.object({ Content: z.string() })).default([]),
    }),
    SupplyChainTradeTransaction: z.object({
      IncludedSupplyChainTradeLineItem: z.array(line).min(1),
      ApplicableHeaderTradeAgreement: z.object({
        BuyerReference: z.string().optional(),
        SellerTradeParty: party,
        BuyerTradeParty: party,
      }),
      ApplicableHeaderTradeDelivery: z.union([
        z.literal(""),
        z.object({ ActualDeliverySupplyChainEvent: z.object({ OccurrenceDateTime: dateTime }) }),
      ]),
      ApplicableHeaderTradeSettlement: z.object({
        InvoiceCurrencyCode: z.literal("EUR"),
        SpecifiedTradeSettlementPaymentMeans: z.object({ TypeCode: z.string(), Information: z.string() }),
        ApplicableTradeTax: tax,
        BillingSpecifiedPeriod: z.object({ StartDateTime: dateTime, EndDateTime: dateTime }).optional(),
        SpecifiedTradeSettlementHeaderMonetarySummation: z.object({
          LineTotalAmount: amount,
          TaxBasisTotalAmount: amount,
          TaxTotalAmount: withAttributes,
          GrandTotalAmount: amount,
          TotalPrepaidAmount: amount,
          DuePayableAmount: amount,
        }),
        InvoiceReferencedDocument: z
          .object({
            IssuerAssignedID: z.string(),
            FormattedIssueDateTime: z.object({ DateTimeString: withAttributes }),
          })
          .optional(),
      }),
    }),
  }),
});

const parser = new XMLParser({
  ignoreAttributes: false,
  removeNSPrefix: true,
  parseTagValue: false,
  parseAttributeValue: false,
  trimValues: false,
  isArray: (name) =>
    ["IncludedSupplyChainTradeLineItem", "IncludedNote", "SpecifiedTaxRegistration"].includes(name),
});

export type ReadInvoice = z.output<typeof invoice>["CrossIndustryInvoice"];

/** Reads an electronic invoice. @throws ZodError if a field that EN 16931 requires is missing. */
export function readInvoice(xml: string): ReadInvoice {
  return invoice.parse(parser.parse(xml)).CrossIndustryInvoice;
}

const cents = (text: string): bigint => BigInt(text.replace(".", ""));
const absolute = (value: bigint): bigint => (value < 0n ? -value : value);

function vatIdOf({ SpecifiedTaxRegistration }: z.output<typeof party>): string | undefined {
  return SpecifiedTaxRegistration.find(({ ID }) => ID["@_schemeID"] === "VA")?.ID["#text"];
}

export function brokenRules(xml: string): readonly string[] {
  const read = readInvoice(xml);
  const { IncludedSupplyChainTradeLineItem: lines, ...transaction } = read.SupplyChainTradeTransaction;
  const { ApplicableTradeTax: vat, ...settlement } = transaction.ApplicableHeaderTradeSettlement;
  const sums = settlement.SpecifiedTradeSettlementHeaderMonetarySummation;
  const { SellerTradeParty: seller, BuyerTradeParty: buyer } = transaction.ApplicableHeaderTradeAgreement;
  const lineAmounts = lines.map(
    ({ SpecifiedLineTradeSettlement: { SpecifiedTradeSettlementLineMonetarySummation } }) =>
      cents(SpecifiedTradeSettlementLineMonetarySummation.LineTotalAmount),
  );
  const sumOfLines = lineAmounts.reduce((sum, each) => sum + each, 0n);
  const isFree = vat.CategoryCode !== "S";
  // In basis points.
  const rate = BigInt(Math.round(Number(vat.RateApplicablePercent ?? "0") * 100));
  const basis = cents(vat.BasisAmount);
  const calculated = cents(vat.CalculatedAmount);
  // Rounded half up. One cent of tolerance, because VAT in a gross price is rounded from the gross price.
  const expected = (2n * absolute(basis) * rate + 10_000n) / 20_000n;
  const rules: Readonly<Record<string, boolean>> = {
    "BR-CO-10": cents(sums.LineTotalAmount) === sumOfLines,
    "BR-CO-13": cents(sums.TaxBasisTotalAmount) === sumOfLines,
    "BR-CO-14": cents(sums.TaxTotalAmount["#text"]) === calculated,
    "BR-CO-15": cents(sums.GrandTotalAmount) === cents(sums.TaxBasisTotalAmount) + calculated,
    "BR-CO-16":
      cents(sums.DuePayableAmount) === cents(sums.GrandTotalAmount) - cents(sums.TotalPrepaidAmount),
    "BR-CO-17": absolute(absolute(calculated) - expected) <= 1n,
    "BR-CO-09": vatIdOf(seller)?.startsWith(seller.PostalTradeAddress.CountryID) !== false,
    "BR-CO-26": seller.ID !== undefined || vatIdOf(seller) !== undefined,
    "BR-27": lines.every(
      ({ SpecifiedLineTradeAgreement: { NetPriceProductTradePrice } }) =>
        cents(NetPriceProductTradePrice.ChargeAmount) >= 0n,
    ),
    // A line's amount is its quantity times its price (PEPPOL-EN16931-R120).
    R120: lines.every(
      (each, index) =>
        BigInt(each.SpecifiedLineTradeDelivery.BilledQuantity["#text"]) *
          cents(each.SpecifiedLineTradeAgreement.NetPriceProductTradePrice.ChargeAmount) ===
        lineAmounts[index],
    ),
    "BR-S-08, BR-AE-08, BR-O-08, BR-E-08": basis === sumOfLines,
    "BR-S-01, BR-AE-01, BR-O-01, BR-O-11 to BR-O-14, BR-E-01": lines.every(
      ({ SpecifiedLineTradeSettlement: { ApplicableTradeTax } }) =>
        ApplicableTradeTax.CategoryCode === vat.CategoryCode &&
        ApplicableTradeTax.RateApplicablePercent === vat.RateApplicablePercent,
    ),
    "BR-S-05": vat.CategoryCode !== "S" || rate > 0n,
    "BR-S-10": vat.CategoryCode !== "S" || vat.ExemptionReason === undefined,
    "BR-S-02, BR-AE-02, BR-E-02": vat.CategoryCode === "O" || seller.SpecifiedTaxRegistration.length > 0,
    "BR-AE-02": vat.CategoryCode !== "AE" || vatIdOf(buyer) !== undefined,
    "BR-O-02": vat.CategoryCode !== "O" || (vatIdOf(seller) === undefined && vatIdOf(buyer) === undefined),
    "BR-AE-05, BR-E-05": !isFree || rate === 0n,
    "BR-48, BR-O-05": (vat.CategoryCode === "O") === (vat.RateApplicablePercent === undefined),
    "BR-AE-09, BR-O-09, BR-E-09": !isFree || calculated === 0n,
    "BR-AE-10, BR-O-10, BR-E-10": !isFree || (vat.ExemptionReason ?? "") !== "",
    // XRechnung, BR-DE-TMP-32: the day or the period of supply.
    supply:
      (transaction.ApplicableHeaderTradeDelivery === "") ===
      (settlement.BillingSpecifiedPeriod !== undefined),
    "BR-DE-26":
      read.ExchangedDocument.TypeCode !== "384" || settlement.InvoiceReferencedDocument !== undefined,
  };
  return Object.entries(rules)
    .filter(([, holds]) => !holds)
    .map(([name]) => name);
}
