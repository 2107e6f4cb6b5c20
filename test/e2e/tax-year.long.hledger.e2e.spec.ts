import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { balancesIn, printed } from "@hostledger/audit/testing";

import { trialBalance, withBooks } from "../support/tax-year/tax-year.books.ts";
import { playYear, sellers, type Year } from "../support/tax-year/tax-year.play.ts";

/** The books of the played year, as hledger reads them, have the closing balances of the table, which sum to zero. */

describe.each(sellers)("hledger, of the year of $seller", ({ table, customers, isSmallBusiness }) => {
  let year: Year;

  beforeAll(async () => {
    year = await playYear(customers, { isSmallBusiness });
  });
  afterAll(() => year.close());

  it("finds the closing balances of the table, which sum to zero", () =>
    withBooks(year, "--format ledger-cli", async (file) => {
      expect(await printed("hledger", "-f", file, "--strict", "check")).toBe("");
      const csv = await printed("hledger", "-f", file, "balance", "--flat", "-O", "csv");
      expect(csv).toMatch(/^"total","0"$/mu);
      expect(balancesIn(csv)).toEqual(trialBalance(table));
    }));
});
