import { readFileSync } from "node:fs";

import { datevBreaches } from "@hostledger/audit/testing";
import { formatEuros } from "@hostledger/core";
import { eventually } from "@hostledger/runtime/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { hostledgerInProcess } from "../support/command-in-process.ts";
import { playMonth, trialBalance, type Month } from "../support/money-month/money-month.play.ts";
import { accounts, april, customersCents, groups, others } from "../support/money-month/money-month.table.ts";
import { datevLinesIn, datevText, postingsIn } from "../support/tax-year/tax-year.books.ts";

/** A month of 50 customers has exactly the bank, provider, payouts, customers, revenue and VAT of a table that was computed by hand. */

const march = "--from 2026-03-01 --to 2026-03-31";

let month: Month;

beforeAll(async () => {
  month = await playMonth();
});
afterAll(() => month.close());

/** Sums the postings of a CSV journal by account, without accounts that are empty. */
function sumsIn(csv: string): ReadonlyMap<string, string> {
  const cents = new Map<string, bigint>();
  for (const posting of postingsIn(csv)) {
    const [account = "", amount = ""] = posting.split(" ").slice(-2);
    cents.set(account, (cents.get(account) ?? 0n) + BigInt(amount.replace(".", "")));
  }
  return new Map(
    [...cents].filter(([, sum]) => sum !== 0n).map(([account, sum]) => [account, formatEuros(sum)]),
  );
}

/** Returns the head and the opening balances of a CSV journal. */
function openingsOf(csv: string): string {
  const [head = "", ...lines] = csv.split("\r\n");
  return [head, ...lines.filter((line) => line.includes("opening"))].join("\r\n");
}

describe("the month of 50 customers", () => {
  it("is in a table that sums to zero", () => {
    const left = groups.reduce((sum, { first, last, leftCents }) => sum + (last - first + 1) * leftCents, 0);
    expect(left).toBe(customersCents);
    expect(groups.reduce((sum, { first, last }) => sum + last - first + 1, 0)).toBe(50);
    expect(Object.values(accounts).reduce((sum, cents) => sum + cents, -left)).toBe(0);
  });

  it("closes as in the table: bank, provider, fees, suspense, payouts ordered, customers, revenue and VAT", () =>
    month.withBooks(`--format csv ${march}`, (file) => {
      expect(sumsIn(readFileSync(file, "utf8"))).toEqual(trialBalance());
    }));

  it("has the same opening balances in April", () =>
    month.withBooks("--format csv --from 2026-04-01", (file) => {
      expect(sumsIn(openingsOf(readFileSync(file, "utf8")))).toEqual(trialBalance());
    }));

  it("passes DATEV's rules, with the same sums by account", () =>
    month.withBooks(`--format datev ${march} --datev-consultant 29098 --datev-client 55003`, (file) => {
      const batch = datevText(file);
      expect(datevBreaches(batch, "21")).toEqual([]);
      const cents = new Map<string, number>();
      for (const line of datevLinesIn(batch)) {
        const [, , amount = "", side, account = "", contra = ""] = line.split(";");
        const debit = (side === "S" ? 1 : -1) * Number(amount.replace(",", ""));
        cents.set(account, (cents.get(account) ?? 0) + debit);
        cents.set(contra, (cents.get(contra) ?? 0) - debit);
      }
      const sum = (name: string): number => accounts[name] ?? 0;
      // The bank account of statements is the one of payments that staff typed too; revenue is gross.
      expect(
        Object.fromEntries(
          ["1200", "1360", "4970", "1792", "1700", "8400"].map((name) => [name, cents.get(name)]),
        ),
      ).toEqual({
        "1200": sum("Assets:Bank:DE89370400440532013000") + sum("Assets:Bank"),
        "1360": sum("Assets:PSP:Sandbox"),
        "4970": sum("Expenses:PaymentFees"),
        "1792": sum("Liabilities:Suspense"),
        "1700": sum("Liabilities:PayoutsOrdered"),
        "8400": sum("Income:Domains") + sum("Liabilities:VAT"),
      });
    }));

  it("has the VAT of its domains", async () => {
    const vat = await month.asStaff(`audit vat ${march}`);
    expect(vat).toMatchObject({ documents: 21, return: [{ net: "210.00", vat: "39.90" }] });
  });

  it("has no differences, and the unassigned payment waits", async () => {
    // The log signs its last events a moment later.
    const found = await eventually(month.clock, () => month.asStaff("audit reconcile --unmatched-days 30"));
    expect(found).toMatchObject({
      difference_count: 0,
      outside: {
        statements: 4,
        waiting: 1,
        waiting_amount: formatEuros(BigInt(others.unknown)),
        unexplained: 0,
        refunds: 5,
        payouts: 5,
        not_compared: ["the list of the payment provider sandbox"],
      },
    });
  });

  it("differs nowhere from the payment provider's own list", async () => {
    const file = `${month.directory}/list.json`;
    const listed = await month.asStaff(
      `bank provider-list --from 2026-03-01 --to 2026-04-01 --output ${file}`,
    );
    expect(listed).toMatchObject({ provider: "sandbox", foreign: 0 });
    const found = await eventually(month.clock, () =>
      month.asStaff(`audit reconcile --unmatched-days 30 --provider-list ${file}`),
    );
    expect(found).toMatchObject({ differences: [], outside: { not_compared: [] } });
  });

  it("differs nowhere in an auditor's bundle, without the instance", async () => {
    await month.withBundle(async (bundle) => {
      const line = ["audit", "reconcile", bundle, "--unmatched-days", "30", "--json"];
      const { code, stdout } = await hostledgerInProcess({}, ...line);
      expect([code, JSON.parse(stdout)]).toMatchObject([
        0,
        { difference_count: 0, outside: { statements: 4, refunds: 5, payouts: 5 } },
      ]);
    });
  });

  it("books refunds and payouts to customers as no expense", () =>
    month.withBooks(`--format csv ${march}`, (file) => {
      expect([...sumsIn(readFileSync(file, "utf8")).keys()]).not.toContain("Expenses:Adjustments");
    }));

  it("pays in April the payouts ordered in March, without differences", async () => {
    await month.playApril();
    await month.withBooks("--format csv --from 2026-04-01", (file) => {
      const csv = readFileSync(file, "utf8");
      expect(sumsIn(openingsOf(csv))).toEqual(trialBalance());
      expect(sumsIn(csv)).toEqual(trialBalance(april));
    });
    await month.withBooks(`--format csv ${march}`, (file) => {
      expect(sumsIn(readFileSync(file, "utf8"))).toEqual(trialBalance());
    });
    const found = await eventually(month.clock, () => month.asStaff("audit reconcile --unmatched-days 60"));
    expect(found).toMatchObject({ difference_count: 0 });
  });
});
