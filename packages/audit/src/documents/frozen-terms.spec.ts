import type { DocumentTerms } from "@hostledger/core";
import { describe, expect, it } from "vitest";

import { seller, standardRate } from "./document.fixture.ts";
import { sellerOfVersion, termsOfDocument } from "./frozen-terms.ts";

const version = {
  ...seller,
  version: 3,
  email: "billing@example.com",
  isSmallBusiness: false,
  timeZone: "Europe/Berlin",
};
const { isPlaceholder: _, ...frozenSeller } = version;

const terms: DocumentTerms = {
  businessDate: "2027-01-01",
  seller: frozenSeller,
  buyerVersion: 1,
  supply: { from: "2027-01-01", to: "2027-12-31" },
  tax: { ...standardRate, country: "FI", rateBasisPoints: 2_550, reason: "oss" },
  language: "de",
  templateVersion: 1,
  sold: null,
};
const issued = { kind: "invoice", issuedAt: "2026-12-31T23:30:00.000000Z", seller } as const;

describe("termsOfDocument", () => {
  it("are the frozen terms of its event", () => {
    expect(termsOfDocument({ ...issued, terms, vatRateBasisPoints: 2_550 })).toEqual({
      businessDate: "2027-01-01",
      supply: { from: "2027-01-01", to: "2027-12-31" },
      tax: terms.tax,
      language: "de",
      templateVersion: 1,
    });
  });

  it("of a receipt have neither taxes nor a period", () => {
    const ofReceipt = { ...terms, tax: null, supply: null };
    expect(termsOfDocument({ ...issued, kind: "receipt", terms: ofReceipt, vatRateBasisPoints: 0 })).toEqual({
      businessDate: "2027-01-01",
      tax: null,
      language: "de",
      templateVersion: 1,
    });
  });

  it.each([
    [1_900, { category: "S", country: "DE", rateBasisPoints: 1_900, reason: "flat", legalText: "" }],
    [
      0,
      {
        category: "E",
        country: "DE",
        rateBasisPoints: 0,
        reason: "exempted",
        legalText: "Exempt from VAT (§ 4 UStG).",
      },
    ],
  ])(
    "of an older document are its day in UTC and the treatment of its rate of %i",
    (vatRateBasisPoints, tax) => {
      expect(termsOfDocument({ ...issued, terms: null, vatRateBasisPoints })).toEqual({
        businessDate: "2026-12-31",
        tax,
        language: "en",
        templateVersion: 1,
      });
    },
  );
});

describe("sellerOfVersion", () => {
  it("is the seller of the event", () => {
    expect(sellerOfVersion(version)).toEqual(seller);
  });

  it("is a placeholder before the first version, and has no empty e-mail address", () => {
    const { email: _email, ...expected } = seller;
    expect(sellerOfVersion({ ...version, version: 0, email: "" })).toEqual({
      ...expected,
      isPlaceholder: true,
    });
  });
});
