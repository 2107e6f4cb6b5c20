import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { balancesIn, printed } from "@hostledger/audit/testing";

import { trialBalance, withBooks } from "../support/tax-year/tax-year.books.ts";
import { playYear, sellers, type Year } from "../support/tax-year/tax-year.play.ts";

/** The books of the played year, as Ledger reads them, have the closing balances of the table, which sum to zero. */

describe.each(sellers)("Ledger, of the year of $seller", ({ table, customers, isSmallBusiness }) => {
  let year: Year;

  beforeAll(async () => {
    year = await playYear(customers, { isSmallBusiness });
  });
  afterAll(() => year.close());

  it("finds the closing balances of the table, which sum to zero", () =>
    withBooks(year, "--format ledger-cli", async (file) => {
      const ledger = (...line: readonly string[]) =>
        printed("ledger", "--args-only", "--pedantic", "-f", file, "balance", ...line);
      expect((await ledger("--depth", "1")).trimEnd().split("\n").at(-1)?.trim()).toBe("0");
      const flat = ["--flat", "--no-total", "--balance-format", "%(account),%(display_total)\\n"];
      expect(balancesIn(await ledger(...flat))).toEqual(trialBalance(table));
    }));
});
