import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { itemsOf, objectOf } from "../support/matchers.ts";
import { playYear, regularCustomers, smallCustomers, type Year } from "../support/tax-year/tax-year.play.ts";
import { documentsOf } from "../support/tax-year/tax-year.books.ts";
import { regular, smallBusiness } from "../support/tax-year/tax-year.table.ts";

/** A year of six customers has exactly the documents, postings, VAT and balances of a table that was computed by hand. */

describe.each([
  { seller: "a seller who charges VAT", table: regular, names: regularCustomers, isSmallBusiness: false },
  { seller: "a small business", table: smallBusiness, names: smallCustomers, isSmallBusiness: true },
])("the year of the customers of $seller", ({ table, names, isSmallBusiness }) => {
  let year: Year;

  beforeAll(async () => {
    year = await playYear(names, { isSmallBusiness });
  });
  afterAll(() => year.close());

  it.each(names)("has every document of %s", async (name) => {
    const expected = table.documents.filter(({ customer }) => customer === name);
    const found = await documentsOf(year, name);
    expect(found.map(({ row }) => row)).toEqual(expected.map(({ contra: _, state: __, ...row }) => row));
  });
});
