import { describe, expect, it } from "vitest";

import { standardRates } from "./eu-countries.ts";
import { taxRules, type TaxRules } from "./tax-rules.decider.ts";
import { taxTreatment, type TaxedBuyer, type TaxedSeller, type TaxQuestion } from "./tax-treatment.ts";

const shipped: TaxRules = taxRules.evolve(taxRules.initialState, {
  type: "TaxRulesSet",
  data: {
    validFrom: "2026-01-01",
    rates: Object.entries(standardRates).map(([country, standardBasisPoints]) => ({
      country,
      standardBasisPoints,
    })),
    reason: "shipped",
    setAt: "2026-01-01T00:00:00.000000Z",
  },
});

const german: TaxedSeller = {
  country: "DE",
  isSmallBusiness: false,
  ossFrom: null,
  exemptionReason: "Exempt from VAT.",
};
const withOss: TaxedSeller = { ...german, ossFrom: "2026-07-01" };
const small: TaxedSeller = { ...german, isSmallBusiness: true };

const consumer = (country: string): TaxedBuyer => ({
  kind: "person",
  country,
  hasCheckedVatId: false,
  isExempt: false,
  missing: [],
});
const company = (country: string, hasCheckedVatId = true): TaxedBuyer => ({
  ...consumer(country),
  kind: "organisation",
  hasCheckedVatId,
});

function treated(question: Partial<TaxQuestion>) {
  const answer = taxTreatment(
    {
      mode: "eu",
      seller: german,
      buyer: consumer("DE"),
      supply: "electronic",
      businessDate: "2026-11-29",
      language: "de",
      ...question,
    },
    shipped,
  );
  return answer.missing.length === 0 ? answer.treatment : answer.missing;
}

describe("the flat rule", () => {
  it.each([consumer("DE"), company("NL"), consumer("US"), consumer("")])(
    "adds 19 %% for every buyer: $kind in $country",
    (buyer) => {
      expect(treated({ mode: "flat", buyer })).toMatchObject({ category: "S", rateBasisPoints: 1_900 });
    },
  );

  it("adds nothing for an exempt account and states the configured reason", () => {
    expect(treated({ mode: "flat", buyer: { ...consumer("DE"), isExempt: true } })).toEqual({
      category: "E",
      country: "DE",
      rateBasisPoints: 0,
      reason: "exempted",
      legalText: "Exempt from VAT.",
    });
  });
});

describe("the rules of the Union", () => {
  it.each([
    ["a German consumer", german, consumer("DE"), "S", "DE", 1_900, "domestic"],
    ["a German company", german, company("DE"), "S", "DE", 1_900, "domestic"],
    ["a Dutch company with a checked VAT id", german, company("NL"), "AE", "DE", 0, "reverse-charge"],
    [
      "a Dutch company without one, before OSS",
      german,
      company("NL", false),
      "S",
      "DE",
      1_900,
      "seller-rate",
    ],
    ["a Dutch company without one, in OSS", withOss, company("NL", false), "S", "NL", 2_100, "oss"],
    ["a French consumer before OSS", german, consumer("FR"), "S", "DE", 1_900, "seller-rate"],
    ["a French consumer in OSS", withOss, consumer("FR"), "S", "FR", 2_000, "oss"],
    ["a Finnish consumer in OSS", withOss, consumer("FI"), "S", "FI", 2_550, "oss"],
    ["a Greek consumer in OSS", withOss, consumer("GR"), "S", "GR", 2_400, "oss"],
    ["a consumer in Monaco in OSS", withOss, consumer("MC"), "S", "FR", 2_000, "oss"],
    ["a Swiss company", german, company("CH"), "O", "DE", 0, "outside-eu"],
    ["a British consumer", withOss, consumer("GB"), "O", "DE", 0, "outside-eu"],
    ["a consumer on Åland, outside the VAT territory", withOss, consumer("AX"), "O", "DE", 0, "outside-eu"],
    ["a customer of a small business", small, consumer("DE"), "E", "DE", 0, "small-business"],
    ["a Dutch company of a small business", small, company("NL"), "E", "DE", 0, "small-business"],
  ] as const)("tax %s", (_who, seller, buyer, category, country, rateBasisPoints, reason) => {
    expect(treated({ seller, buyer })).toMatchObject({ category, country, rateBasisPoints, reason });
  });

  it.each([
    ["de", "Steuerschuldnerschaft des Leistungsempfängers (Reverse charge)"],
    ["en", "Reverse charge (Steuerschuldnerschaft des Leistungsempfängers)"],
  ] as const)("name the reverse charge in both languages, on a document in %s", (language, legalText) => {
    expect(treated({ buyer: company("NL"), language })).toMatchObject({ legalText });
  });

  it("tax a non-electronic service in the seller's country, also in OSS", () => {
    expect(treated({ seller: withOss, buyer: consumer("FR"), supply: "other" })).toMatchObject({
      country: "DE",
      reason: "seller-rate",
    });
  });

  it("begin OSS on its first business date", () => {
    const on = (businessDate: string) => treated({ seller: withOss, buyer: consumer("FR"), businessDate });
    expect([on("2026-06-30"), on("2026-07-01")]).toMatchObject([{ country: "DE" }, { country: "FR" }]);
  });

  it("need the buyer's country", () => {
    expect(treated({ buyer: consumer("") })).toEqual(["country"]);
  });

  it.each([
    ["reverse charge", german, company("NL")],
    ["OSS", withOss, consumer("FR")],
  ] as const)("need a complete address for %s", (_what, seller, buyer) => {
    expect(treated({ seller, buyer: { ...buyer, missing: ["street", "city"] } })).toEqual(["street", "city"]);
  });

  it.each([
    ["at home", german, consumer("DE")],
    ["at the seller's rate", german, consumer("FR")],
    ["outside the Union", german, consumer("US")],
    ["of a small business", small, consumer("")],
  ] as const)("need no complete address %s", (_where, seller, buyer) => {
    expect(treated({ seller, buyer: { ...buyer, missing: ["street"] } })).toMatchObject({
      category: expect.any(String),
    });
  });

  it("exempt an account that staff exempted, also at home", () => {
    expect(treated({ buyer: { ...consumer("DE"), isExempt: true } })).toMatchObject({
      category: "E",
      reason: "exempted",
    });
  });
});

describe("tax rules", () => {
  const set = (validFrom: string, country: string, standardBasisPoints: number) =>
    taxRules.decide(
      {
        type: "SetTaxRules",
        data: {
          validFrom,
          rates: [{ country, standardBasisPoints }],
          reason: "law",
          at: "2026-11-29T00:00:00.000000Z",
        },
      },
      shipped,
    );

  it("apply a new rate from its date on", () => {
    const decision = set("2027-01-01", "FR", 2_100);
    if (!decision.accepted) throw new Error("the rate was refused");
    const rules = decision.events.reduce(taxRules.evolve, shipped);
    const on = (businessDate: string) => {
      const answer = taxTreatment(
        {
          mode: "eu",
          seller: withOss,
          buyer: consumer("FR"),
          supply: "electronic",
          businessDate,
          language: "en",
        },
        rules,
      );
      return answer.treatment.rateBasisPoints;
    };
    expect([on("2026-12-31"), on("2027-01-01")]).toEqual([2_000, 2_100]);
  });

  it("add nothing if the rate is set already", () => {
    expect(set("2026-01-01", "FR", 2_000)).toEqual({ accepted: true, events: [] });
  });

  it.each([
    ["a country outside the Union", "CH", 810],
    ["a rate above 50 %", "FR", 5_001],
    ["a negative rate", "FR", -1],
    ["half a basis point", "FR", 2_000.5],
    ["the prefix of Greek VAT ids", "EL", 2_400],
  ])("refuse %s", (_what, country, basisPoints) => {
    expect(set("2027-01-01", country, basisPoints)).toMatchObject({
      accepted: false,
      rejection: { code: "validation-failed" },
    });
  });
});
