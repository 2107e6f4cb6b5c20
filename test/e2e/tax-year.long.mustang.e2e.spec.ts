import { writeFileSync } from "node:fs";
import { join } from "node:path";

import { judgeByMustang, type Verdict } from "@hostledger/audit/testing";
import { temporaryDirectory } from "@hostledger/runtime/testing";
import { expect, it, onTestFinished } from "vitest";

import { documentsOf } from "../support/tax-year/tax-year.books.ts";
import { playYear, sellers } from "../support/tax-year/tax-year.play.ts";

/** Mustang finds every document of the played year valid: PDF/A-3 by veraPDF, the XML by the rules of EN 16931. */

it.each(sellers)("every document of the year of $seller is valid", async (played) => {
  const { table, customers, isSmallBusiness } = played;
  const year = await playYear(customers, { isSmallBusiness });
  onTestFinished(() => year.close());
  const directory = temporaryDirectory();
  onTestFinished(() => {
    directory.remove();
  });
  const expected: Record<string, Verdict> = {};
  for (const name of customers)
    for (const { row, pdf, xml } of await documentsOf(year, name)) {
      // A receipt is no invoice, so it contains no XML that Mustang could judge.
      if (xml === undefined) continue;
      writeFileSync(join(directory.path, `${row.number}.pdf`), pdf);
      writeFileSync(join(directory.path, `${row.number}.xml`), xml);
      expected[`${row.number}.pdf`] = { pdf: "valid", xml: "valid", broken: [] };
      expected[`${row.number}.xml`] = { pdf: "absent", xml: "valid", broken: [] };
    }
  expect(Object.keys(expected)).toHaveLength(
    2 * table.documents.filter(({ sold }) => sold !== "payment").length,
  );
  expect(await judgeByMustang(directory.path)).toEqual(expected);
});
