import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { euros, euroText } from "./view.codec.ts";

const exactCents = fc.bigInt({ min: -999_999_999_999_999n, max: 999_999_999_999_999n });

describe("euroText", () => {
  it.each([
    [0n, "0.00"],
    [5n, "0.05"],
    [-5n, "-0.05"],
    [1190n, "11.90"],
    [-123_456n, "-1234.56"],
  ])("writes %s cents as %s", (cents, text) => {
    expect(euroText(cents)).toBe(text);
  });

  it("loses no digit, for every size", () => {
    fc.assert(
      fc.property(fc.bigInt(), (cents) => {
        expect(BigInt(euroText(cents).replace(".", ""))).toBe(cents);
      }),
    );
  });
});

describe("euros", () => {
  it.each([
    [1190n, "11.9"],
    [1999n, "19.99"],
    [10_000n, "100"],
    [-29n, "-0.29"],
    [999_999_999_999_999n, "9999999999999.99"],
  ])("prints %s cents in JSON as %s", (cents, json) => {
    expect(JSON.stringify(euros(cents))).toBe(json);
  });

  it("prints every amount in JSON to the cent, with at most two decimals", () => {
    fc.assert(
      fc.property(exactCents, (cents) => {
        const [whole = "", decimals = ""] = JSON.stringify(euros(cents)).split(".");
        expect(decimals.length).toBeLessThanOrEqual(2);
        expect(BigInt(whole + decimals.padEnd(2, "0"))).toBe(cents);
      }),
      { numRuns: 2_000 },
    );
  });

  it("refuses an amount that JSON could not carry to the cent", () => {
    expect(() => euros(1_000_000_000_000_000n)).toThrow(RangeError);
    expect(() => euros(-1_000_000_000_000_000n)).toThrow(RangeError);
  });
});
