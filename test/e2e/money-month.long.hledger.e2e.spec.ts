import { balancesIn, printed } from "@hostledger/audit/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { playMonth, trialBalance, type Month } from "../support/money-month/money-month.play.ts";

/** The books of the month of 50 customers, as hledger reads them, have the closing balances of the table, which sum to zero. */

describe("hledger, of the month of 50 customers", () => {
  let month: Month;

  beforeAll(async () => {
    month = await playMonth();
  });
  afterAll(() => month.close());

  it("finds the closing balances of the table, which sum to zero", () =>
    month.withBooks("--format ledger-cli --to 2026-03-31", async (file) => {
      expect(await printed("hledger", "-f", file, "--strict", "check")).toBe("");
      const csv = await printed("hledger", "-f", file, "balance", "--flat", "-O", "csv");
      expect(csv).toMatch(/^"total","0"$/mu);
      expect(balancesIn(csv)).toEqual(trialBalance());
    }));
});
