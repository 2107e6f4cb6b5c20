import { describe, expect, it } from "vitest";

import { textOf } from "../books.fixture.ts";
import { allBooks } from "./journal.laws.fixture.ts";
import { firstIban, moneyBooks, secondIban } from "./journal.fixture.ts";
import { writeJournal } from "./write-journal.ts";
import type { JournalPeriod } from "./transaction.ts";

const rowsOf = async (events: ReturnType<typeof moneyBooks>["events"], period: JournalPeriod = {}) =>
  (await textOf(writeJournal(events, { format: "trial-balance", ...period })))
    .trimEnd()
    .split("\r\n")
    .map((line) => line.split(","));

describe("a trial balance", () => {
  it("has opening, debits, credits and closing of each account, and one row of customers", async () => {
    expect(await rowsOf(moneyBooks().events, { from: "2026-01-04" })).toEqual([
      ["account", "opening_eur", "debit_eur", "credit_eur", "closing_eur"],
      // Staff typed a payment of 10 that the provider had.
      ["Assets:Bank", "100.00", "10.00", "10.00", "100.00"],
      // 50 + 7 before; 15 - 1.20 - 0.80
      [`Assets:Bank:${firstIban}`, "57.00", "15.00", "2.00", "70.00"],
      [`Assets:Bank:${secondIban}`, "0.00", "3.00", "0.00", "3.00"],
      // 19.75 + 39.75 + 9.75 + 0.80; a chargeback of 40 and a payout of 15
      ["Assets:PSP:Sandbox", "0.00", "70.05", "55.00", "15.05"],
      ["Expenses:PaymentFees", "0.00", "0.75", "0.00", "0.75"],
      ["Income:Domains", "0.00", "0.00", "10.00", "-10.00"],
      // 3 + 40 taken back, 11.90 for a domain; 50 + 3 + 3 + 20 + 40 + 10 paid
      ["Liabilities:Customers", "-100.00", "54.90", "126.00", "-171.10"],
      // 50 + 3 + 3 + 20 + 40 credited, 40 charged back, 1.20 + 0.80 gone, 15 matched; 3 + 15 came, 3 + 40 taken back, 20 + 40 settled, 0.80
      ["Liabilities:Suspense", "-57.00", "173.00", "121.80", "-5.80"],
      ["Liabilities:VAT", "0.00", "0.00", "1.90", "-1.90"],
      ["Total", "0.00", "326.70", "326.70", "0.00"],
    ]);
  });

  it("of a month closes with the opening of the next one", async () => {
    const january = await rowsOf(moneyBooks().events, { from: "2026-01-01", to: "2026-01-08" });
    const next = await rowsOf(moneyBooks().events, { from: "2026-01-09" });
    const closings = new Map(january.slice(1).map(([name, , , , closing]) => [name, closing]));
    for (const [name, opening] of next.slice(1))
      expect([name, opening]).toEqual([name, closings.get(name) ?? "0.00"]);
  });

  it.each(allBooks)("sums to zero in $name", async ({ make }) => {
    const total = (await rowsOf(make().events)).at(-1) ?? [];
    const [name, opening, debit, credit, closing] = total;
    expect([name, opening, closing]).toEqual(["Total", "0.00", "0.00"]);
    expect(debit).toBe(credit);
  });
});
