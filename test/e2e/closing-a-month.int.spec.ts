import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { camtFile } from "@hostledger/providers/testing";
import { eventually } from "@hostledger/runtime/testing";
import { afterAll, beforeAll, expect, it } from "vitest";

import { hostledgerInProcess } from "../support/command-in-process.ts";
import { itemsOf } from "../support/matchers.ts";
import { playMonth, type Month } from "../support/money-month/money-month.play.ts";
import { accounts, customersCents, euros } from "../support/money-month/money-month.table.ts";

/** Runs every line of docs/closing-a-month.md on the month of 50 customers, from the top. */

const page = readFileSync(join(import.meta.dirname, "../../docs/closing-a-month.md"), "utf8");
const lines = [...page.matchAll(/^\.\/hostledger (.+)$/gmu)].map(([, line = ""]) =>
  line.replace(/ +#.*$/u, "").trim(),
);

let month: Month;
beforeAll(async () => {
  month = await playMonth();
});
afterAll(() => month.close());

/** Words of a line; a quoted text is one word. */
function wordsOf(line: string): readonly string[] {
  return [...line.matchAll(/'([^']*)'|(\S+)/gu)].map(([, quoted, plain]) => quoted ?? plain ?? "");
}

/** Runs `hostledger …` without an instance. @throws Error if it ends with another code than 0 */
async function printOffline(words: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await hostledgerInProcess({}, ...words);
  if (code !== 0) throw new Error(`hostledger ${words.join(" ")} ends with ${String(code)}: ${stderr}`);
  return stdout;
}

/** A last statement with payments that staff must look at. */
const statement = camtFile({
  id: "2026-03-31",
  day: "2026-03-31",
  opening: euros(accounts["Assets:Bank:DE89370400440532013000"] ?? 0),
  payments: [
    { amount: "100.00", ref: "of-provider", text: "Payout of the provider" },
    { amount: "3.00", ref: "of-nobody", text: "Hello" },
  ],
});

it("closes the month", async () => {
  const { directory: path } = month;
  writeFileSync(join(path, "statement.xml"), statement);
  const entryOf = async (reference: string): Promise<string> => {
    const { list } = await month.asStaff("bank list --limit 100");
    return String(itemsOf(list).find((one) => one.bank_reference === reference)?.id);
  };
  const placeholders: Readonly<Record<string, () => Promise<readonly [entry: string, account: string]>>> = {
    "bank match ENTRY ACCOUNT": async () => [await entryOf("unknown"), "39"],
    "bank match ENTRY --provider NAME": async () => [await entryOf("of-provider"), ""],
    "bank return ENTRY": async () => [await entryOf("of-nobody"), ""],
    "bank reassign ENTRY ACCOUNT": async () => [await entryOf("unknown"), "1"],
  };
  const printed = new Map<string, string>();
  for (const line of lines) {
    const found = Object.entries(placeholders).find(([begin]) => line.startsWith(begin));
    const [entry, account] = found === undefined ? ["", ""] : await found[1]();
    const words = wordsOf(line).map((word) => {
      if (/\.(?:xml|csv|json)$|-bundle$/u.test(word)) return join(path, word);
      return word.replace("ENTRY", entry).replace("ACCOUNT", account).replace("NAME", "sandbox");
    });
    const isOffline = /^audit (?:verify|reconcile) march-bundle/u.test(line);
    const run = isOffline ? () => printOffline(words) : () => month.print(...words);
    // The log signs its last events a moment later.
    const stdout = await eventually(month.clock, run, { everyMs: 5_000, limitMs: 20_000 });
    printed.set(line, stdout);
  }
  expect(lines).toHaveLength(18);
  const text = (part: string): string =>
    [...printed].find(([line]) => line.startsWith(part))?.[1] ?? `no ${part}`;
  expect(text("audit reconcile")).toMatch(/nothing differs/u);
  expect(text("audit reconcile march-bundle")).toMatch(/nothing differs/u);
  expect(text("audit verify march-bundle")).toMatch(/nothing is wrong/u);
  const rows = new Map(
    text("audit journal --format trial-balance --from 2026-03-01")
      .trimEnd()
      .split("\r\n")
      .map((row) => row.split(","))
      .map(([name = "", ...amounts]) => [name, amounts.at(-1)]),
  );
  // The table of the month, with 100.00 of the provider and 3.00 of nobody. Staff match the 7.00 in April, so they wait at the end of March.
  expect(Object.fromEntries(rows)).toEqual({
    account: "closing_eur",
    "Assets:Bank": "50.00",
    "Assets:Bank:DE89370400440532013000": euros(93_900 + 10_000 + 300),
    "Assets:PSP:Sandbox": euros(29_988 - 10_000),
    "Expenses:PaymentFees": "20.45",
    "Income:Domains": "-210.00",
    "Liabilities:Customers": euros(-customersCents),
    "Liabilities:PayoutsOrdered": "-27.04",
    "Liabilities:Suspense": euros(-700 - 300),
    "Liabilities:VAT": "-39.90",
    Total: "0.00",
  });
});
