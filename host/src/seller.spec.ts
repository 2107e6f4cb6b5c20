import { placeholderSeller } from "@hostledger/audit/documents";
import { ConfigurationError } from "@hostledger/runtime";
import { describe, expect, it } from "vitest";

import { readConfiguration } from "./configuration/index.ts";
import { sellerOf } from "./seller.ts";

const whole = {
  HOSTLEDGER_SELLER_NAME: "Beispiel GmbH",
  HOSTLEDGER_SELLER_STREET: "Beispielweg 1",
  HOSTLEDGER_SELLER_POSTAL_CODE: "10115",
  HOSTLEDGER_SELLER_CITY: "Berlin",
  HOSTLEDGER_SELLER_VAT_ID: "DE123456788",
};

const mistakesOf = (environment: Readonly<Record<string, string>>): readonly string[] => {
  try {
    sellerOf(readConfiguration(environment));
  } catch (error) {
    if (error instanceof ConfigurationError) return error.mistakes;
    throw error;
  }
  return [];
};

describe("sellerOf", () => {
  it("is a marked placeholder until a seller is set", () => {
    expect(sellerOf(readConfiguration({}))).toEqual(placeholderSeller);
    expect(placeholderSeller.isPlaceholder).toBe(true);
  });

  it("is who the settings name", () => {
    const more = { HOSTLEDGER_SELLER_EMAIL: "billing@example.com", HOSTLEDGER_SELLER_COUNTRY: "AT" };
    expect(sellerOf(readConfiguration({ ...whole, ...more }))).toEqual({
      name: "Beispiel GmbH",
      street: "Beispielweg 1",
      postalCode: "10115",
      city: "Berlin",
      country: "AT",
      vatId: "DE123456788",
      taxNumber: "",
      contact: "",
      phone: "",
      email: "billing@example.com",
      exemptionReason: "Exempt from VAT.",
      isPlaceholder: false,
    });
  });

  it("has a tax number in place of a VAT id, and the contact of electronic invoices", () => {
    const { HOSTLEDGER_SELLER_VAT_ID: _, ...others } = whole;
    const more = {
      HOSTLEDGER_SELLER_TAX_NUMBER: "29/815/08150",
      HOSTLEDGER_SELLER_CONTACT: "Billing",
      HOSTLEDGER_SELLER_PHONE: "+49 30 1234567",
    };
    expect(sellerOf(readConfiguration({ ...others, ...more }))).toMatchObject({
      vatId: "",
      taxNumber: "29/815/08150",
      contact: "Billing",
      phone: "+49 30 1234567",
    });
  });

  it("asks for a VAT id or a tax number", () => {
    expect(mistakesOf({ ...whole, HOSTLEDGER_SELLER_VAT_ID: "" })).toEqual([
      "HOSTLEDGER_SELLER_VAT_ID or HOSTLEDGER_SELLER_TAX_NUMBER must be set too: an invoice has to name one of them.",
    ]);
  });

  it.each(Object.keys(whole).filter((variable) => variable !== "HOSTLEDGER_SELLER_VAT_ID"))(
    "requires %s if the others are given",
    (variable) => {
      expect(mistakesOf({ ...whole, [variable]: "" })).toEqual([
        `${variable} must be set too: an invoice has to name its whole seller.`,
      ]);
    },
  );

  it("asks for all that is missing at once", () => {
    expect(mistakesOf({ HOSTLEDGER_SELLER_EMAIL: "billing@example.com" })).toHaveLength(5);
  });

  it.each([
    ["HOSTLEDGER_SELLER_NAME", " "],
    ["HOSTLEDGER_SELLER_NAME", "two\nlines"],
    ["HOSTLEDGER_SELLER_NAME", "turned \u202e"],
    ["HOSTLEDGER_SELLER_NAME", "zero\u200bwidth"],
    ["HOSTLEDGER_SELLER_NAME", "x".repeat(201)],
    ["HOSTLEDGER_SELLER_STREET", "\u0000"],
    ["HOSTLEDGER_SELLER_POSTAL_CODE", "<>"],
    ["HOSTLEDGER_SELLER_COUNTRY", "Germany"],
    ["HOSTLEDGER_SELLER_COUNTRY", "de"],
    ["HOSTLEDGER_SELLER_VAT_ID", "123456789"],
    ["HOSTLEDGER_SELLER_VAT_ID", "XX123"],
    ["HOSTLEDGER_SELLER_VAT_ID", "DE123456789"],
    ["HOSTLEDGER_SELLER_EMAIL", "nobody"],
    ["HOSTLEDGER_SELLER_EXEMPTION_REASON", "\t"],
  ])("refuses %s that is %j", (variable, value) => {
    expect(mistakesOf({ ...whole, [variable]: value })).toEqual([
      expect.stringMatching(new RegExp(`^${variable} must (?:be|hold) `)),
    ]);
  });
});
