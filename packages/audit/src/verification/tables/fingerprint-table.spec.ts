import { expect, it } from "vitest";
import { FingerprintTable } from "./fingerprint-table.ts";

it("has a row of its own for every text, however similar", () => {
  const table = new FingerprintTable();
  const texts = Array.from({ length: 100_000 }, (_, at) => `registration-${String(at)}`);
  texts.push("", "\0", "\0\0", "a", "a\0", "\ud800", "ä");
  expect(texts.map((text) => table.add(text))).toEqual([...texts.keys()]);
  expect(texts.map((text) => table.find(text))).toEqual([...texts.keys()]);
  expect([table.find("registration-x"), table.size]).toEqual([-1, texts.length]);
});
