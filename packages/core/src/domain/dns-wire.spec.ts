import fc from "fast-check";
import { describe, expect, it, test } from "vitest";

import { txtStrings } from "./dns-wire.ts";

const lengthsOf = (text: string): number[] => txtStrings(text).map(({ length }) => length);

describe("a text on the wire", () => {
  it.each([
    ["", [0]],
    ["a", [1]],
    ["a".repeat(255), [255]],
    ["a".repeat(256), [255, 1]],
    ["a".repeat(510), [255, 255]],
    ["ü".repeat(128), [254, 2]],
    [`a${"ü".repeat(127)}`, [255]],
    ["€".repeat(85), [255]],
    ["€".repeat(86), [255, 3]],
    [`a${"€".repeat(85)}`, [253, 3]],
    ["\u{1f600}".repeat(64), [252, 4]],
  ])("%j has the strings %j", (text, lengths) => {
    expect(lengthsOf(text)).toEqual(lengths);
  });

  test("law: joined it is the text again, and each string is whole characters of at most 255 octets", () => {
    const anyText = fc.string({ unit: "grapheme", maxLength: 1_000, size: "max" });
    fc.assert(
      fc.property(anyText, (text) => {
        const strings = txtStrings(text);
        const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
        expect(strings.map((string) => decoder.decode(string)).join("")).toBe(text);
        expect(Math.max(...strings.map(({ length }) => length))).toBeLessThanOrEqual(255);
      }),
      { numRuns: 50 },
    );
  });
});
