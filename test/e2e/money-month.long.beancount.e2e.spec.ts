import { balancesIn, printed } from "@hostledger/audit/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { playMonth, trialBalance, type Month } from "../support/money-month/money-month.play.ts";

/** The books of the month of 50 customers, as Beancount reads them, have the closing balances of the table, which sum to zero. */

describe("Beancount, of the month of 50 customers", () => {
  let month: Month;

  beforeAll(async () => {
    month = await playMonth();
  });
  afterAll(() => month.close());

  it("finds the closing balances of the table, which sum to zero", () =>
    month.withBooks("--format beancount --to 2026-03-31", async (file) => {
      expect(await printed("bean-check", file)).toBe("");
      const query = "SELECT account, sum(number) GROUP BY account";
      const balances = balancesIn(await printed("bean-query", "-q", "-f", "csv", file, query));
      const filled = new Map([...balances].filter(([, amount]) => Number(amount) !== 0));
      expect(filled).toEqual(trialBalance());
    }));
});
