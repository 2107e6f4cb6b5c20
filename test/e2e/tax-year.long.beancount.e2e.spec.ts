import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { balancesIn, printed } from "@hostledger/audit/testing";

import { trialBalance, withBooks } from "../support/tax-year/tax-year.books.ts";
import { playYear, sellers, type Year } from "../support/tax-year/tax-year.play.ts";

/** The books of the played year, as Beancount reads them, have the closing balances of the table, which sum to zero. */

describe.each(sellers)("Beancount, of the year of $seller", ({ table, customers, isSmallBusiness }) => {
  let year: Year;

  beforeAll(async () => {
    year = await playYear(customers, { isSmallBusiness });
  });
  afterAll(() => year.close());

  it("finds the closing balances of the table, which sum to zero", () =>
    withBooks(year, "--format beancount", async (file) => {
      expect(await printed("bean-check", file)).toBe("");
      const query = "SELECT account, sum(number) GROUP BY account";
      const balances = balancesIn(await printed("bean-query", "-q", "-f", "csv", file, query));
      expect(balances).toEqual(trialBalance(table));
    }));
});
