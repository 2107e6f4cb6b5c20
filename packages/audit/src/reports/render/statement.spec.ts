import { describe, expect, it } from "vitest";

import { hostileTexts, instantAt } from "../books.fixture.ts";
import type { Movement, Statement } from "../statement.ts";
import { textCell } from "./csv.ts";
import { statementCsv, statementDocument, statementText } from "./statement.ts";
import { groupedEuros, plainLine } from "./text.ts";

const movement: Movement = {
  type: "BalanceCharged.v1",
  time: instantAt(1),
  revision: 3n,
  amountCents: -1_190n,
  balanceAfterCents: 8_810n,
  cause: "registration-1",
  documentNumber: "2026-7-000001",
  documentId: 101,
  description: "Registration of example.com",
  actor: "account:7",
  requestId: undefined,
};
const statement: Statement = {
  accountId: 7,
  name: "Ada",
  from: undefined,
  asOf: instantAt(2),
  openingBalanceCents: 10_000n,
  movements: [movement],
  closingBalanceCents: 8_810n,
};

describe("a statement of hostile texts", () => {
  const movements = hostileTexts.map((text) => ({
    ...movement,
    description: text,
    cause: text,
    actor: text,
    requestId: text,
  }));
  const hostile = { ...statement, name: hostileTexts[5] ?? "", movements };

  it("has as many lines as movements, and no control character", () => {
    const lines = statementText(hostile).split("\n");
    expect(lines).toHaveLength(3 + 1 + 2 + movements.length + 1 + 1);
    for (const line of lines) expect(line).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  });

  it("has a row of eleven cells for each movement in CSV, whose figures stay numbers", () => {
    const rows = statementCsv(hostile).split("\r\n").slice(0, -1);
    expect(rows).toHaveLength(1 + 2 + movements.length);
    for (const row of rows) expect(row.replaceAll(/"(?:[^"]|"")*"/gu, "text").split(",")).toHaveLength(11);
    expect(rows[2]).toContain(",-11.90,88.10,");
  });
});

describe("a cell", () => {
  it.each([
    ["=1+1", "'=1+1"],
    ["-1", "'-1"],
    ["+1", "'+1"],
    ["@x", "'@x"],
    ["  =1+1", "'  =1+1"],
    ["\t=1+1", "' =1+1"],
    ["\r\nx", "' x"],
    ["\u200b=1+1", "\u{fffd}=1+1"],
    ["\uff1d1+1", "'\uff1d1+1"],
    ['a "b", c', '"a ""b"", c"'],
    ["a;b", '"a;b"'],
    ["2026-7-000001", "2026-7-000001"],
    ["", ""],
  ])("of %j is %s", (text, cell) => {
    expect(textCell(text)).toBe(cell);
  });
});

describe("a statement as JSON", () => {
  it("has exact amounts, and null for absent values", () => {
    const bare = { ...movement, documentNumber: "", documentId: 0 };
    expect(statementDocument({ ...statement, movements: [bare] })).toEqual({
      account_id: 7,
      name: "Ada",
      from: null,
      as_of: instantAt(2),
      opening_balance: "100.00",
      closing_balance: "88.10",
      movements: [
        {
          time: instantAt(1),
          type: "BalanceCharged.v1",
          revision: 3,
          amount: "-11.90",
          balance_after: "88.10",
          cause: "registration-1",
          document_number: null,
          document_id: null,
          description: "Registration of example.com",
          actor: "account:7",
          request_id: null,
        },
      ],
    });
  });
});

it.each([
  [0n, "0.00"],
  [-5n, "-0.05"],
  [99_999n, "999.99"],
  [-100_000n, "-1,000.00"],
  [123_456_789_012n, "1,234,567,890.12"],
])("%s cents are %s euros", (cents, euros) => {
  expect(groupedEuros(cents)).toBe(euros);
});

it("preserves letters of every script in a plain line", () => {
  expect(plainLine("Ünïcödé Ωмега 漢字 🧾")).toBe("Ünïcödé Ωмега 漢字 🧾");
});
