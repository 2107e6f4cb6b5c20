import fc from "fast-check";
import { describe, expect, it, test } from "vitest";

import { registrationLines } from "./domain-orders.ts";
import { totalsOf, totalsOfGross, type InvoiceLine } from "./totals.ts";

const anyLine: fc.Arbitrary<InvoiceLine> = fc.record({
  description: fc.string(),
  quantity: fc.integer({ min: 1, max: 1_000 }),
  unitNetCents: fc.bigInt({ min: 0n, max: 10n ** 11n }),
});

describe("the sums of a document", () => {
  it("of nothing are nothing", () => {
    expect(totalsOf([], 1_900n)).toEqual({
      netCents: 0n,
      vatRateBasisPoints: 1_900n,
      vatCents: 0n,
      grossCents: 0n,
    });
  });

  it("round VAT once, on the total", () => {
    const line = { description: "x", quantity: 1, unitNetCents: 50n };
    expect(totalsOf([line, line], 1_900n)).toMatchObject({ netCents: 100n, vatCents: 19n, grossCents: 119n });
  });

  test("law: gross is net and VAT, and lines can be split without changing a cent", () => {
    fc.assert(
      fc.property(
        fc.array(anyLine, { maxLength: 20 }),
        fc.constantFrom(0n, 700n, 810n, 1_900n, 2_550n),
        (lines, rate) => {
          const totals = totalsOf(lines, rate);
          expect(totals.grossCents).toBe(totals.netCents + totals.vatCents);
          const split = lines.flatMap((line) => [
            { ...line, quantity: line.quantity - 1 },
            { ...line, quantity: 1 },
          ]);
          expect(totalsOf(split, rate)).toEqual(totals);
        },
      ),
    );
  });
});

describe("the sums of a document of gross prices", () => {
  const grossOf = (cents: bigint): readonly InvoiceLine[] => [
    { description: "x", quantity: 1, unitNetCents: cents },
  ];

  it("contain the VAT: nothing is added to the price", () => {
    expect(totalsOfGross(grossOf(1_190n), 1_900n)).toEqual({
      netCents: 1_000n,
      vatRateBasisPoints: 1_900n,
      vatCents: 190n,
      grossCents: 1_190n,
    });
  });

  it("contain none on an exempt account", () => {
    expect(totalsOfGross(grossOf(1_190n), 0n)).toMatchObject({
      netCents: 1_190n,
      vatCents: 0n,
      grossCents: 1_190n,
    });
  });

  // At 100 %, one cent contains exactly half a cent, the only case that rounds a half.
  it("round half up", () => {
    expect(totalsOfGross(grossOf(1n), 10_000n)).toMatchObject({ netCents: 0n, vatCents: 1n });
  });

  test("law: gross is the sum of the lines, the VAT its share rounded once, and lines can be split", () => {
    fc.assert(
      fc.property(
        fc.array(anyLine, { maxLength: 20 }),
        fc.constantFrom(0n, 700n, 810n, 1_900n, 2_550n),
        (lines, rate) => {
          const totals = totalsOfGross(lines, rate);
          const { netCents, vatCents, grossCents } = totals;
          expect(netCents + vatCents).toBe(grossCents);
          expect(grossCents).toBe(totalsOf(lines, 0n).grossCents);
          // |vat − gross × rate / (100 + rate)| ≤ 1/2, written without a division.
          const off = 2n * (vatCents * (10_000n + rate) - grossCents * rate);
          expect(off <= 10_000n + rate && off > -(10_000n + rate)).toBe(true);
          const split = lines.flatMap((line) => [
            { ...line, quantity: line.quantity - 1 },
            { ...line, quantity: 1 },
          ]);
          expect(totalsOfGross(split, rate)).toEqual(totals);
        },
      ),
    );
  });
});

describe("the price of a registration", () => {
  it("is the price of a year times the years, and VAT", () => {
    expect(totalsOf(registrationLines("example.com", 3, 1_000n), 1_900n)).toEqual({
      netCents: 3_000n,
      vatRateBasisPoints: 1_900n,
      vatCents: 570n,
      grossCents: 3_570n,
    });
  });

  it("bears no VAT on an exempt account", () => {
    expect(totalsOf(registrationLines("example.com", 3, 1_000n), 0n)).toMatchObject({
      vatRateBasisPoints: 0n,
      grossCents: 3_000n,
    });
  });

  it("is one line, by the year", () => {
    expect(registrationLines("example.com", 10, 1_999n)).toEqual([
      { description: "Registration of example.com, per year", quantity: 10, unitNetCents: 1_999n },
    ]);
  });
});
