import fc from "fast-check";
import { describe, expect, it } from "vitest";

import type { Buyer, FrozenDocument, Seller } from "../document.ts";
import { placeholderSeller } from "../frozen-terms.ts";
import { brokenRules, readInvoice } from "../business-rules.fixture.ts";
import {
  business,
  buyer,
  correction,
  electronic,
  exempted,
  exemptInvoice,
  invoice,
  nasty,
  receipt,
  seller,
  serverInvoice,
  standardRate,
  taxed,
} from "../document.fixture.ts";
import { schemaErrors } from "../official-schema.fixture.ts";
import { hasEInvoice, writeEInvoice } from "./cii.ts";

const write = (document: FrozenDocument, by: Seller, to: Buyer): string =>
  writeEInvoice({ document, seller: by, buyer: to }).xml;
const rendered = (document: FrozenDocument): string => write(document, seller, buyer);
const settlementOf = (document: FrozenDocument) =>
  readInvoice(rendered(document)).SupplyChainTradeTransaction.ApplicableHeaderTradeSettlement;
const linesOf = (document: FrozenDocument) =>
  readInvoice(rendered(document)).SupplyChainTradeTransaction.IncludedSupplyChainTradeLineItem;

describe.each(electronic)("an electronic invoice of %s", (_, document) => {
  it("is valid by the official schema", async () => {
    expect(await schemaErrors(rendered(document))).toEqual([]);
  });

  it("obeys the business rules", () => {
    expect(brokenRules(rendered(document))).toEqual([]);
  });

  it("is the same text each time", () => {
    expect(rendered(document)).toBe(rendered(structuredClone(document)));
  });

  it("shows the frozen sums and nothing due", () => {
    const { SpecifiedTradeSettlementHeaderMonetarySummation: sums } = settlementOf(document);
    const cents = (text: string): bigint => BigInt(text.replace(".", ""));
    expect(cents(sums.TaxBasisTotalAmount)).toBe(document.netCents);
    expect(cents(sums.TaxTotalAmount["#text"])).toBe(document.vatCents);
    expect(cents(sums.GrandTotalAmount)).toBe(document.grossCents);
    expect(sums.TotalPrepaidAmount).toBe(sums.GrandTotalAmount);
    expect(sums.DuePayableAmount).toBe("0.00");
  });
});

describe.each(taxed)("an electronic invoice to %s", (_, input) => {
  it("is valid by the official schema, and obeys the business rules", async () => {
    const { xml } = writeEInvoice(input);
    expect(await schemaErrors(xml)).toEqual([]);
    expect(brokenRules(xml)).toEqual([]);
  });
});

describe("an electronic invoice", () => {
  it.each([
    ["XX123", false],
    ["DE123456789", true],
    ["EL094259216", true],
    ["XI980780684", true],
  ])("names the VAT id %s only where BR-CO-09 allows it: %j", (vatId, isNamed) => {
    // Profiles from before the check of VAT ids may contain such ids.
    const text = write(invoice, seller, { ...business, profile: { ...business.profile, vatId } });
    expect(text.includes(vatId)).toBe(isNamed);
    expect(brokenRules(text)).toEqual([]);
  });

  it("has the type 380, the business date, and both parties", () => {
    const { ExchangedDocument: head, SupplyChainTradeTransaction: trade } = readInvoice(rendered(invoice));
    expect(head).toMatchObject({
      ID: "2026-7-000042",
      TypeCode: "380",
      IssueDateTime: { DateTimeString: { "#text": "20261121" } },
      IncludedNote: [],
    });
    expect(trade.ApplicableHeaderTradeAgreement).toMatchObject({
      SellerTradeParty: {
        Name: "Beispiel & Söhne GmbH",
        PostalTradeAddress: {
          PostcodeCode: "10115",
          LineOne: "Beispielweg 1",
          CityName: "Berlin",
          CountryID: "DE",
        },
        SpecifiedTaxRegistration: [
          { ID: { "@_schemeID": "FC", "#text": "29/815/08150" } },
          { ID: { "@_schemeID": "VA", "#text": "DE123456788" } },
        ],
      },
      BuyerTradeParty: { ID: "7", Name: "Ada Lovelace" },
    });
  });

  it("contains every frozen line of net prices unchanged", () => {
    expect(linesOf(invoice)).toMatchObject([
      {
        AssociatedDocumentLineDocument: { LineID: "1" },
        SpecifiedTradeProduct: { Name: "Registration of example.com, per year" },
        SpecifiedLineTradeAgreement: { NetPriceProductTradePrice: { ChargeAmount: "10.00" } },
        SpecifiedLineTradeDelivery: { BilledQuantity: { "#text": "2" } },
      },
      { AssociatedDocumentLineDocument: { LineID: "2" }, SpecifiedTradeProduct: { Name: "A second line" } },
    ]);
  });

  it("has the document's net amount if the prices contain VAT", () => {
    const [line, ...more] = linesOf(serverInvoice);
    expect(more).toEqual([]);
    expect(line).toMatchObject({
      SpecifiedTradeProduct: { Name: "Renewal of a server Small, 3 months" },
      SpecifiedLineTradeAgreement: { NetPriceProductTradePrice: { ChargeAmount: "23.92" } },
    });
  });

  it("gives the reason for missing VAT", () => {
    expect(settlementOf(exemptInvoice).ApplicableTradeTax).toMatchObject({
      CategoryCode: "E",
      RateApplicablePercent: "0",
      ExemptionReason: "Exempt from VAT (§ 4 UStG).",
    });
  });

  it("names the corrected invoice, its day and the reason, and returns its sums", () => {
    const { ExchangedDocument: head } = readInvoice(rendered(correction));
    expect(head).toMatchObject({
      TypeCode: "384",
      IncludedNote: [{ Content: "Correction of invoice 2026-7-000042: The registrar refused" }],
    });
    expect(settlementOf(correction)).toMatchObject({
      InvoiceReferencedDocument: {
        IssuerAssignedID: "2026-7-000042",
        FormattedIssueDateTime: { DateTimeString: { "#text": "20261121" } },
      },
      SpecifiedTradeSettlementHeaderMonetarySummation: { GrandTotalAmount: "-23.81" },
    });
    expect(linesOf(correction)).toMatchObject([
      {
        SpecifiedTradeProduct: { Name: "Return of invoice 2026-7-000042" },
        SpecifiedLineTradeDelivery: { BilledQuantity: { "#text": "-1" } },
      },
    ]);
  });

  it("contains the buyer's known data only", async () => {
    const partyOf = (to: Buyer): string =>
      /<ram:BuyerTradeParty>.*<\/ram:BuyerTradeParty>/s.exec(write(invoice, seller, to))?.[0] ?? "";
    expect(
      partyOf(business)
        .match(/>[^<>\s][^<>]*</g)
        ?.map((text) => text.slice(1, -1)),
    ).toEqual([
      "7",
      "Engines &amp; Sons Ltd.",
      "Ada Lovelace",
      "EC1A 1BB",
      "Analytical Way 1",
      "London",
      "GB",
      "GB123456789",
    ]);
    expect(partyOf(buyer)).not.toMatch(/PostcodeCode|LineOne|CityName|SpecifiedTaxRegistration|Contact/);
    const erased = Object.fromEntries(Object.keys(business.profile).map((name) => [name, "[erased]"]));
    const nobody = { ...business, name: "[erased]", profile: { ...business.profile, ...erased } };
    expect(partyOf(nobody)).toBe(partyOf({ accountId: 7, name: "[erased]" }));
    for (const to of [business, nobody]) {
      const xml = write(invoice, seller, to);
      expect(await schemaErrors(xml)).toEqual([]);
      expect(brokenRules(xml)).toEqual([]);
    }
  });

  it("names the customer's number once the name is erased", () => {
    const xml = write(invoice, seller, { accountId: 7, name: "[erased]" });
    const { ApplicableHeaderTradeAgreement: agreement } = readInvoice(xml).SupplyChainTradeTransaction;
    expect(agreement.BuyerTradeParty.Name).toBe("Customer 7");
    expect(xml).not.toContain("erased");
  });

  it("states that its seller is a placeholder", async () => {
    const xml = write(invoice, placeholderSeller, buyer);
    expect(readInvoice(xml).ExchangedDocument.IncludedNote).toEqual([
      { Content: expect.stringContaining("placeholder") },
    ]);
    expect(await schemaErrors(xml)).toEqual([]);
    expect(brokenRules(xml)).toEqual([]);
  });

  it("is refused for a receipt", () => {
    expect(hasEInvoice(receipt)).toBe(false);
    expect(electronic.every(([, document]) => hasEInvoice(document))).toBe(true);
    expect(() => rendered(receipt)).toThrow("the receipt 2026-7-T000001 is no invoice");
  });
});

describe("texts of an electronic invoice", () => {
  it("stay texts, with any content", async () => {
    const line = { description: nasty, quantity: 1, unitCents: 2_001n, amountCents: 2_001n };
    const corrects = { number: "2026-7-000042", businessDate: "2026-11-21", reason: nasty };
    for (const document of [
      { ...invoice, lines: [line] },
      { ...correction, corrects },
    ]) {
      const named = { ...seller, name: nasty, street: nasty, city: nasty };
      const xml = write(document, named, { accountId: 7, name: nasty });
      expect(await schemaErrors(xml)).toEqual([]);
      expect(brokenRules(xml)).toEqual([]);
      expect(xml).not.toContain("<script");
      expect(xml).not.toContain("<!ENTITY");
      const { SellerTradeParty, BuyerTradeParty } =
        readInvoice(xml).SupplyChainTradeTransaction.ApplicableHeaderTradeAgreement;
      const shown = nasty.replace("\u0000", "\uFFFD").replace("\u202E", "\uFFFD");
      expect([SellerTradeParty.Name, BuyerTradeParty.Name]).toEqual([shown, shown]);
    }
  });

  it("come back as they went in, any of them that XML can hold", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", minLength: 1 }), (name) => {
        fc.pre(name.trim() === name && name !== "[erased]" && !/[\p{Cc}\p{Cf}\uFFFD-\uFFFF]/u.test(name));
        const xml = write(invoice, { ...seller, name }, buyer);
        const { SellerTradeParty } =
          readInvoice(xml).SupplyChainTradeTransaction.ApplicableHeaderTradeAgreement;
        expect(SellerTradeParty.Name).toBe(name);
      }),
    );
  });
});

describe("any document", () => {
  const lines = fc.array(
    fc.record({ quantity: fc.integer({ min: 1, max: 120 }), unitCents: fc.bigInt(0n, 100_000_000n) }),
    { minLength: 1, maxLength: 5 },
  );

  it("obeys the business rules, as it was frozen", () => {
    fc.assert(
      fc.property(
        lines,
        fc.constantFrom(0, 700, 810, 1_900, 2_550),
        fc.boolean(),
        fc.boolean(),
        (some, rate, isGross, isReturned) => {
          const document = frozen(some, rate, isGross);
          expect(brokenRules(rendered(isReturned ? returned(document) : document))).toEqual([]);
        },
      ),
      { numRuns: 300 },
    );
  });
});

/** Computes totals with the contract's money rules, independently of the product: rounded half up once, on the total. */
function frozen(
  some: readonly { readonly quantity: number; readonly unitCents: bigint }[],
  rateBasisPoints: number,
  pricesIncludeVat: boolean,
): FrozenDocument {
  const lines = some.map(({ quantity, unitCents }, index) => ({
    description: `Line ${String(index)}`,
    quantity,
    unitCents,
    amountCents: BigInt(quantity) * unitCents,
  }));
  const sum = lines.reduce((total, { amountCents }) => total + amountCents, 0n);
  const rate = BigInt(rateBasisPoints);
  const divisor = pricesIncludeVat ? 10_000n + rate : 10_000n;
  const vatCents = (2n * sum * rate + divisor) / (2n * divisor);
  const netCents = pricesIncludeVat ? sum - vatCents : sum;
  return {
    ...invoice,
    pricesIncludeVat,
    lines,
    netCents,
    tax: rateBasisPoints === 0 ? exempted : { ...standardRate, rateBasisPoints },
    vatCents,
    grossCents: netCents + vatCents,
  };
}

function returned({ netCents, vatCents, grossCents, tax }: FrozenDocument): FrozenDocument {
  const sums = { netCents: -netCents, vatCents: -vatCents, grossCents: -grossCents };
  return { ...correction, ...sums, tax };
}

describe("the checks of this spec", () => {
  it.each([
    [
      "BR-CO-10",
      "<ram:LineTotalAmount>20.00</ram:LineTotalAmount>",
      "<ram:LineTotalAmount>19.99</ram:LineTotalAmount>",
    ],
    ["BR-CO-14", '<ram:TaxTotalAmount currencyID="EUR">3.80', '<ram:TaxTotalAmount currencyID="EUR">3.81'],
    ["BR-CO-15", "<ram:GrandTotalAmount>23.81", "<ram:GrandTotalAmount>23.82"],
    ["BR-CO-16", "<ram:DuePayableAmount>0.00", "<ram:DuePayableAmount>0.01"],
    ["BR-CO-17", "<ram:CalculatedAmount>3.80", "<ram:CalculatedAmount>3.82"],
    ["BR-S-05", "Percent>19", "Percent>0"],
  ])("find a broken %s", (rule, from, to) => {
    expect(brokenRules(rendered(invoice).replaceAll(from, to))).toContain(rule);
  });

  it("find an unknown element, and a misplaced one", async () => {
    const xml = rendered(invoice);
    expect(await schemaErrors(xml.replaceAll("ram:TypeCode>", "ram:TypeCod>"))).not.toEqual([]);
    const swapped = xml.replace(
      /(<ram:CalculatedAmount>.*?<\/ram:CalculatedAmount>)(\s*)(<ram:TypeCode>VAT<\/ram:TypeCode>)/s,
      "$3$2$1",
    );
    expect(swapped).not.toBe(xml);
    expect(await schemaErrors(swapped)).not.toEqual([]);
  });
});
