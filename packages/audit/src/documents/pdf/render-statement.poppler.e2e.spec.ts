import { execFileSync } from "node:child_process";
import { groupedEuros, statementOf, type Statement } from "../../reports/index.ts";
import { hostileTexts, randomBooks } from "../../reports/books.fixture.ts";
import { describe, expect, it } from "vitest";

import { renderStatement } from "./render-pdf.ts";

/** Reads the PDF with pdftotext of Debian's poppler-utils, which tools/setup installs. */

const now = "2027-01-01T00:00:00.000000Z";

async function read(statement: Statement): Promise<string> {
  const input = await renderStatement(statement);
  return execFileSync("pdftotext", ["-layout", "-", "-"], { input, encoding: "utf8" });
}

async function randomStatement(from?: string): Promise<Statement> {
  const books = randomBooks(11, 3, 400);
  const report = await statementOf(books.stream("account-2"), { accountId: 2, now, from });
  if (!report.ok) throw new Error(report.rejection.message);
  return report.value;
}

function figuresIn(text: string): readonly string[] {
  return [...text.matchAll(/(?<![\d.,-])-?\d{1,3}(?:,\d{3})*\.\d{2}(?![\d.])/gu)].map(([figure]) => figure);
}

describe("a statement as a PDF", () => {
  it.each([undefined, "2026-01-01T01:00:00.000000Z"])("shows every figure, from %s", async (from) => {
    const statement = await randomStatement(from);
    expect(statement.movements.length).toBeGreaterThan(50);
    const expected = [
      groupedEuros(statement.openingBalanceCents),
      ...statement.movements.flatMap(({ amountCents, balanceAfterCents }) => [
        groupedEuros(amountCents),
        groupedEuros(balanceAfterCents),
      ]),
      groupedEuros(statement.closingBalanceCents),
    ];
    expect(figuresIn(await read(statement))).toEqual(expected);
  });

  it("shows documents, causes and whose it is, on pages that are counted", async () => {
    const statement = await randomStatement();
    const text = await read(statement);
    for (const { documentNumber, cause } of statement.movements) {
      expect(text).toContain(documentNumber);
      expect(text).toContain(cause);
    }
    expect(text).toContain("Customer 2");
    expect(text).toMatch(/Account statement 2 · page 2 of \d+/u);
  });

  it("is the same bytes for the same statement", async () => {
    const statement = await randomStatement();
    expect(Buffer.from(await renderStatement(statement)).equals(await renderStatement(statement))).toBe(true);
  });

  it.each(hostileTexts)("has the same figures with any name: %j", async (name) => {
    const statement = await randomStatement();
    const [first, ...others] = statement.movements;
    if (first === undefined) throw new Error("There is no movement.");
    const changed = {
      ...statement,
      name,
      movements: [{ ...first, description: "x" }, ...others.slice(0, 3)],
    };
    expect(await read(changed)).toContain(groupedEuros(statement.closingBalanceCents));
  });
});
