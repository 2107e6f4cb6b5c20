import fc from "fast-check";
import { describe, expect, it, test } from "vitest";

import { formatEuros, maximumCents, parseEuros, roundHalfUp, vatContainedIn, vatOn } from "./money.ts";

const anyInteger = fc.bigInt({ min: -(10n ** 20n), max: 10n ** 20n });
const anyDenominator = fc.bigInt({ min: 1n, max: 10n ** 9n });
const anyAmount = fc.bigInt({ min: 0n, max: maximumCents });

describe("rounding half up", () => {
  it.each([
    [0n, 1n, 0n],
    [1n, 2n, 1n],
    [3n, 2n, 2n],
    [-1n, 2n, -1n],
    [-3n, 2n, -2n],
    [49n, 100n, 0n],
    [50n, 100n, 1n],
    [-49n, 100n, 0n],
    [-50n, 100n, -1n],
    [1n, 3n, 0n],
    [2n, 3n, 1n],
  ])("%s/%s is %s", (numerator, denominator, rounded) => {
    expect(roundHalfUp({ numerator, denominator })).toBe(rounded);
  });

  test("law: the result is nearest, and a half goes away from zero", () => {
    fc.assert(
      fc.property(anyInteger, anyDenominator, (numerator, denominator) => {
        const rounded = roundHalfUp({ numerator, denominator });
        // |rounded − n/d| ≤ 1/2, written without a fraction: |2·rounded·d − 2·n| ≤ d.
        const twiceTheError = 2n * (rounded * denominator - numerator);
        const magnitude = twiceTheError < 0n ? -twiceTheError : twiceTheError;
        expect(magnitude <= denominator).toBe(true);
        if (magnitude === denominator) expect(twiceTheError > 0n).toBe(numerator > 0n);
      }),
    );
  });

  test("law: the sign does not matter", () => {
    fc.assert(
      fc.property(anyInteger, anyDenominator, (numerator, denominator) => {
        expect(roundHalfUp({ numerator: -numerator, denominator })).toBe(
          -roundHalfUp({ numerator, denominator }),
        );
      }),
    );
  });

  test("law: it agrees with rounding the decimal expansion by its first place", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 10n ** 20n }), anyDenominator, (numerator, denominator) => {
        const firstPlace = ((numerator % denominator) * 10n) / denominator;
        const expected = numerator / denominator + (firstPlace >= 5n ? 1n : 0n);
        expect(roundHalfUp({ numerator, denominator })).toBe(expected);
      }),
    );
  });
});

describe("VAT", () => {
  it.each([
    [1_000n, 190n],
    [1_999n, 380n],
    [50n, 10n],
    [49n, 9n],
    [150n, 29n],
    [1n, 0n],
    [3n, 1n],
    [-50n, -10n],
    [0n, 0n],
    [maximumCents, 19_000_000_000n],
  ])("on %s cents at 19 %% is %s", (net, vat) => {
    expect(vatOn(net, 1_900n)).toBe(vat);
  });

  it("of an exempt account is nothing", () => {
    expect(vatOn(1_000n, 0n)).toBe(0n);
    expect(vatContainedIn(1_000n, 0n)).toBe(0n);
  });

  test("law: VAT added to a net amount is the VAT contained in the gross amount", () => {
    fc.assert(
      fc.property(anyAmount, fc.bigInt({ min: 0n, max: 100n }), (net, rate) => {
        const vat = vatOn(net, rate);
        expect(vatContainedIn(net + vat, rate)).toBe(vat);
      }),
    );
  });
});

describe("euros as text", () => {
  it.each([
    [0n, "0.00"],
    [5n, "0.05"],
    [50n, "0.50"],
    [1_190n, "11.90"],
    [-5n, "-0.05"],
    [-1_190n, "-11.90"],
    [maximumCents, "1000000000.00"],
    [123_456_789_012_345_678_901n, "1234567890123456789.01"],
  ])("%s cents are %s", (cents, text) => {
    expect(formatEuros(cents)).toBe(text);
  });

  it.each([
    ["0", 0n],
    ["100", 10_000n],
    ["19.9", 1_990n],
    ["19.99", 1_999n],
    ["007.5", 750n],
    ["1000000000.00", maximumCents],
  ])("%s are read as %s cents", (text, cents) => {
    expect(parseEuros(text)).toEqual({ ok: true, value: cents });
  });

  it.each([
    "",
    " ",
    "-1",
    "+1",
    "1.",
    ".5",
    "1.999",
    "1,50",
    "1e3",
    "0x10",
    "1 000",
    "١",
    "NaN",
    "1".repeat(41),
    "1\n",
  ])("%j are refused", (text) => {
    expect(parseEuros(text)).toMatchObject({
      ok: false,
      error: expect.stringContaining("at most two decimals") as unknown,
    });
  });

  it.each(["1000000000.01", "12345678901", "1".repeat(40)])("%s are refused: above one billion", (text) => {
    expect(parseEuros(text)).toEqual({ ok: false, error: "must be at most 1000000000.00" });
  });

  test("law: written text is read back to the same amount", () => {
    fc.assert(
      fc.property(anyAmount, (cents) => {
        expect(parseEuros(formatEuros(cents))).toEqual({ ok: true, value: cents });
      }),
    );
  });
});
