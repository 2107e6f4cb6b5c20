import { describe, expect, it } from "vitest";

import { dayOf, plain, ratePercent } from "./text.ts";

describe("dayOf", () => {
  it("is the day in UTC, up to its last microsecond", () => {
    expect(dayOf("2026-11-21T23:59:59.999999Z")).toBe("2026-11-21");
  });
});

describe("plain", () => {
  it.each([
    ["Grüße, Łódź, Αθήνα, Київ, 東京, 👩‍💻", "Grüße, Łódź, Αθήνα, Київ, 東京, 👩‍💻"],
    ["two\r\nlines\tand a tab", "two lines and a tab"],
    ["nul \u0000, escape \u001B, C1 \u0085", "nul \uFFFD, escape \uFFFD, C1 \uFFFD"],
    ["half \uD800 a pair", "half \uFFFD a pair"],
    ["no characters \uFFFE\uFFFF", "no characters \uFFFD\uFFFD"],
    ["marked \u200E1\u200F2\u061C3", "marked \uFFFD1\uFFFD2\uFFFD3"],
    ["turned \u202E00.01\u202C", "turned \uFFFD00.01\uFFFD"],
  ])("makes %j to %j", (text, expected) => {
    expect(plain(text)).toBe(expected);
  });
});

describe("ratePercent", () => {
  it.each([
    [1_900, "19"],
    [2_550, "25.5"],
    [810, "8.1"],
    [0, "0"],
  ])("writes %i basis points as %s", (basisPoints, expected) => {
    expect(ratePercent(basisPoints)).toBe(expected);
  });
});
