import { describe, expect, it } from "vitest";

import { standardRates } from "../tax/eu-countries.ts";
import { taxRules } from "../tax/tax-rules.decider.ts";
import { placeholderSeller } from "../seller/seller.decider.ts";
import { account } from "./account.decider.ts";
import type { AccountCommand } from "./account.commands.ts";
import { at, charge, credit, opened } from "./account.fixture.ts";
import type { AccountState } from "./account.state.ts";
import { businessDateOf, periodOf, supplyDays, type IssuingTerms } from "./document-terms.ts";
import { changeProfile } from "./profile.fixture.ts";
import { serverCharge } from "./server-charges.fixture.ts";

const rates = Object.entries(standardRates).map(([country, standardBasisPoints]) => ({
  country,
  standardBasisPoints,
}));
const rules = taxRules.evolve(taxRules.initialState, {
  type: "TaxRulesSet",
  data: { validFrom: "2026-01-01", rates, reason: "shipped", setAt: at },
});
const eu: IssuingTerms = {
  mode: "eu",
  rules,
  seller: placeholderSeller,
  ossFrom: "2026-01-01",
  retentionYears: 8,
};

const address = {
  name: "Ada",
  street: "Rue 1",
  city: "Paris",
  postal_code: "75001",
  country: "FR",
} as const;
const dutch = {
  kind: "organisation",
  organisation: "Hosting BV",
  street: "Straat 1",
  city: "Utrecht",
  postal_code: "3511",
  country: "NL",
  vat_id: "NL004495445B01",
} as const;
const vatIdChecked = (outcome: "valid" | "invalid" | "unanswered", when = at): AccountCommand => ({
  type: "RecordVatIdCheck",
  data: { vatId: dutch.vat_id, outcome, consultationNumber: "WAPI123", at: when },
});

function after(...commands: readonly AccountCommand[]): AccountState {
  return commands.reduce<AccountState>(
    (state, command) => {
      const decision = account.decide(command, state);
      if (!decision.accepted) throw new Error(JSON.stringify(decision.rejection));
      return decision.events.reduce(account.evolve, state);
    },
    account.evolve(account.initialState, opened()),
  );
}

function invoiceOn(state: AccountState, command: AccountCommand) {
  const decision = account.decide(command, state);
  if (!decision.accepted) return decision.rejection;
  return decision.events.find(({ type }) => type === "InvoiceIssued")?.data;
}

const paid = credit({ amountCents: 100_000n });

describe("an order under the rules of the Union", () => {
  it("adds the buyer's rate to net prices", () => {
    const state = after(paid, changeProfile(address));
    expect(
      invoiceOn(
        state,
        charge({
          terms: eu,
          supply: periodOf(at, 12),
          sold: { domain: "example.com", server: null, plan: null },
        }),
      ),
    ).toMatchObject({
      netCents: "1000",
      vatRatePercent: 20,
      vatCents: "200",
      grossCents: "1200",
      terms: {
        tax: { category: "S", country: "FR", rateBasisPoints: 2_000, reason: "oss" },
        supply: { from: "2026-03-01", to: "2027-02-28" },
        sold: { domain: "example.com", server: null, plan: null },
      },
    });
  });

  // 28.47 contain 4.55 at 19 %, so the net amount is 23.92; 20 % of that are 4.78.
  it("computes the net amount of a plan once from the domestic rate", () => {
    const state = after(paid, changeProfile(address));
    expect(invoiceOn(state, serverCharge({ terms: eu }))).toMatchObject({
      netCents: "2392",
      vatCents: "478",
      grossCents: "2870",
    });
  });

  it("charges a company with a checked VAT id no VAT", () => {
    const state = after(paid, changeProfile(dutch), vatIdChecked("valid"));
    expect(invoiceOn(state, serverCharge({ terms: eu }))).toMatchObject({
      netCents: "2392",
      vatCents: "0",
      grossCents: "2392",
      terms: { tax: { category: "AE" } },
    });
  });

  it.each([
    ["was never asked", []],
    ["called it invalid", [vatIdChecked("valid"), vatIdChecked("invalid")]],
    ["answered more than 30 days ago", [vatIdChecked("valid", "2026-01-29T10:00:00.000000Z")]],
    ["never answered", [vatIdChecked("unanswered")]],
  ] as const)("charges a company like a consumer if the register %s", (_what, checks) => {
    const state = after(paid, changeProfile(dutch), ...checks);
    expect(invoiceOn(state, charge({ terms: eu }))).toMatchObject({ terms: { tax: { reason: "oss" } } });
  });

  it("counts the last good answer for 30 days while the register does not answer", () => {
    const state = after(
      paid,
      changeProfile(dutch),
      vatIdChecked("valid", "2026-01-31T10:00:00.000000Z"),
      vatIdChecked("unanswered"),
    );
    expect(invoiceOn(state, charge({ terms: eu }))).toMatchObject({ terms: { tax: { category: "AE" } } });
  });

  it("drops the answer when the VAT id changes", () => {
    const state = after(
      paid,
      changeProfile(dutch),
      vatIdChecked("valid"),
      changeProfile({ vat_id: "NL010000446B01" }),
    );
    expect(invoiceOn(state, charge({ terms: eu }))).toMatchObject({ terms: { tax: { reason: "oss" } } });
  });

  it("is refused without a country, before anything is charged", () => {
    expect(invoiceOn(after(paid), charge({ terms: eu }))).toMatchObject({
      code: "profile-incomplete",
      detail: { fieldErrors: { country: ["The field country is needed."] } },
    });
  });

  it("is refused above 250.00 gross without a complete address", () => {
    const lines = (unitNetCents: bigint) => [{ description: "x", quantity: 1, unitNetCents }];
    const state = after(paid, changeProfile({ name: "Ada", country: "DE" }));
    // 210.08 and 19 % are 250.00; 210.09 and 19 % are 250.01.
    expect(invoiceOn(state, charge({ terms: eu, lines: lines(21_008n) }))).toMatchObject({
      grossCents: "25000",
    });
    expect(invoiceOn(state, charge({ terms: eu, lines: lines(21_009n) }))).toMatchObject({
      code: "profile-incomplete",
      detail: {
        fieldErrors: {
          street: ["The field street is needed."],
          city: ["The field city is needed."],
          postal_code: ["The field postal_code is needed."],
        },
      },
    });
    expect(invoiceOn(state, charge({ lines: lines(21_009n) }))).toMatchObject({ grossCents: "25001" });
  });

  it("is repeated without a second charge after its taxes changed", () => {
    const state = after(
      paid,
      changeProfile(address),
      charge({ terms: eu }),
      changeProfile({ country: "DE" }),
    );
    expect(account.decide(charge({ terms: eu }), state)).toEqual({ accepted: true, events: [] });
  });
});

describe("a business date", () => {
  it.each([
    ["2026-12-31T22:59:59.999999Z", "Europe/Berlin", "2026-12-31"],
    ["2026-12-31T23:00:00.000000Z", "Europe/Berlin", "2027-01-01"],
    ["2026-06-30T22:00:00.000000Z", "Europe/Berlin", "2026-07-01"],
    ["2026-12-31T23:00:00.000000Z", "UTC", "2026-12-31"],
    ["2027-01-01T02:00:00.000000Z", "America/New_York", "2026-12-31"],
  ])("of %s in %s is %s", (instant, timeZone, day) => {
    expect(businessDateOf(instant, timeZone)).toBe(day);
  });

  it("is never before the account's previous one", () => {
    expect(businessDateOf("2026-12-31T12:00:00.000000Z", "UTC", "2027-01-01")).toBe("2027-01-01");
  });

  it("decides the year in the document's number", () => {
    const state = after(credit({ at: "2026-12-31T23:30:00.000000Z" }));
    expect(invoiceOn(state, charge({ at: "2026-12-31T23:31:00.000000Z" }))).toMatchObject({
      number: "2027-7-000001",
      terms: { businessDate: "2027-01-01" },
    });
  });
});

describe("a supply period", () => {
  it.each([
    ["2026-03-01T10:00:00.000000Z", 12, "2026-03-01", "2027-02-28"],
    ["2026-01-31T10:00:00.000000Z", 1, "2026-01-31", "2026-02-27"],
    ["2024-02-29T10:00:00.000000Z", 12, "2024-02-29", "2025-02-27"],
    ["2026-05-31T23:00:00.000000Z", 1, "2026-06-01", "2026-06-30"],
  ])("from %s for %s months lasts from %s to %s in Berlin", (at, months, from, to) => {
    expect(supplyDays(periodOf(at, months), "Europe/Berlin")).toEqual({ from, to });
  });
});
