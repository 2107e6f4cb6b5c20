import { readFileSync } from "node:fs";

import { datevBreaches } from "@hostledger/audit/testing";
import { formatEuros } from "@hostledger/core";
import { eventually } from "@hostledger/runtime/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { balanceOf } from "../support/shop.ts";
import {
  datevLineOf,
  datevLinesIn,
  datevText,
  documentsOf,
  postingsIn,
  postingsOf,
  withBooks,
} from "../support/tax-year/tax-year.books.ts";
import { playYear, sellers, type Year } from "../support/tax-year/tax-year.play.ts";

/** A year of six customers has exactly the documents, postings, VAT and balances of a table that was computed by hand. */

/** Legal texts of documents without VAT, in their customer's language. */
const legalTexts: Readonly<Record<string, string>> = {
  AE: "Reverse charge (Steuerschuldnerschaft des Leistungsempfängers)",
  O: "Nicht im Inland steuerbare Leistung",
  E: "Kein Ausweis von Umsatzsteuer, da Kleinunternehmer nach §19 UStG",
};

describe.each(sellers)("the year of the customers of $seller", ({ table, customers, isSmallBusiness }) => {
  let year: Year;

  beforeAll(async () => {
    year = await playYear(customers, { isSmallBusiness });
  });
  afterAll(() => year.close());

  it("is in a table that sums to zero", () => {
    const owed = Object.values(table.closing).map((left) => -left);
    const sum = [...Object.values(table.accounts), ...owed].reduce((all, amount) => all + amount, 0);
    expect(sum).toBe(0);
  });

  it.each(customers)("has every document and the closing balance of %s", async (name) => {
    const expected = table.documents.filter(({ customer }) => customer === name);
    const found = await documentsOf(year, name);
    expect(found.map(({ row }) => row)).toEqual(expected.map(({ contra: _, state: __, ...row }) => row));
    expect(found.map(({ legalText }) => legalText)).toEqual(
      expected.map(({ category }) => legalTexts[category] ?? ""),
    );
    const customer = year.customers.get(name);
    if (customer === undefined) throw new Error(`there is no customer ${name}`);
    expect(await balanceOf(customer)).toBe(formatEuros(BigInt(table.closing[name] ?? 0)));
  });

  it("names no VAT id on documents outside the Union's VAT (BR-O-02)", async () => {
    for (const name of customers)
      for (const { row, xml } of await documentsOf(year, name))
        if (row.category === "O") expect(Buffer.from(xml ?? []).toString()).not.toContain('schemeID="VA"');
  });

  it("has every posting", async () => {
    const found = await withBooks(year, "--format csv", (file) => postingsIn(readFileSync(file, "utf8")));
    expect([...found].sort()).toEqual(table.documents.flatMap(postingsOf).sort());
  });

  it.each(["2026", "2027"])("has every posting of %s in DATEV's batch, by DATEV's rules", async (inYear) => {
    const options = `--from ${inYear}-01-01 --to ${inYear}-12-31 --datev-consultant 29098 --datev-client 55003`;
    const batch = await withBooks(year, `--format datev ${options}`, datevText);
    expect(datevBreaches(batch, "21")).toEqual([]);
    const expected = table.documents.filter(({ date }) => date.startsWith(inYear)).map(datevLineOf);
    expect([...datevLinesIn(batch)].sort()).toEqual(expected.sort());
    const debtors = await withBooks(year, `--format datev-customers ${options}`, datevText);
    expect(datevBreaches(debtors, "16")).toEqual([]);
    expect(debtors.split("\r\n")).toHaveLength(2 + customers.length + 1);
  });

  it("has the VAT of every period", async () => {
    for (const { from, to, documents, ...parts } of table.vat)
      expect(await year.asStaff(`audit vat --from ${from} --to ${to}`)).toEqual({
        from,
        to,
        currency: "EUR",
        documents,
        estimated_supply_periods: 0,
        return: parts.return.map(([line, net, vat]) => ({ line, net, vat, meaning: expect.any(String) })),
        oss: parts.oss.map(([country, rate, net, vat]) => ({ country, rate, net, vat })),
        recapitulative: parts.recapitulative.map(([vatId, net]) => ({ vat_id: vatId, net })),
      });
  });

  it("has books without a difference, by their own audit", async () => {
    // The log signs its last events a moment later.
    const found = await eventually(year.clock, () => year.asStaff("audit reconcile"));
    expect(found).toMatchObject({ difference_count: 0 });
  });
});
