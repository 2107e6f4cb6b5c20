import { balancesIn, printed } from "@hostledger/audit/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { playMonth, trialBalance, type Month } from "../support/money-month/money-month.play.ts";

/** The books of the month of 50 customers, as Ledger reads them, have the closing balances of the table, which sum to zero. */

describe("Ledger, of the month of 50 customers", () => {
  let month: Month;

  beforeAll(async () => {
    month = await playMonth();
  });
  afterAll(() => month.close());

  it("finds the closing balances of the table, which sum to zero", () =>
    month.withBooks("--format ledger-cli --to 2026-03-31", async (file) => {
      const ledger = (...line: readonly string[]) =>
        printed("ledger", "--args-only", "--pedantic", "-f", file, "balance", ...line);
      expect((await ledger("--depth", "1")).trimEnd().split("\n").at(-1)?.trim()).toBe("0");
      // An account's own amount: Assets:Bank has accounts below it.
      const flat = ["--flat", "--no-total", "--balance-format", "%(account),%(amount)\\n"];
      expect(balancesIn(await ledger(...flat))).toEqual(trialBalance());
    }));
});
