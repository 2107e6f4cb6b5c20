import fc from "fast-check";
import { describe, expect, it, test } from "vitest";

import {
  quoteServerOrder,
  quoteServerRenewal,
  serverOrderLines,
  serverRenewalLines,
} from "./server-renewal.ts";

/** Exact decimal arithmetic, independent of the code under test: a price is `digits / 10^places`. */
interface Decimal {
  readonly digits: bigint;
  readonly places: number;
}

function decimal(text: string): Decimal {
  const [whole = "", fraction = ""] = text.split(".");
  return { digits: BigInt(whole + fraction), places: fraction.length };
}

function times(left: Decimal, right: Decimal): Decimal {
  return { digits: left.digits * right.digits, places: left.places + right.places };
}

/** Rounds to two places; a remainder of one half or more adds a cent. */
function toCents({ digits, places }: Decimal): bigint {
  const scale = 10n ** BigInt(Math.max(places - 2, 0));
  const whole = digits * 10n ** BigInt(Math.max(2 - places, 0));
  const tail = whole % scale;
  return whole / scale + (tail * 2n >= scale ? 1n : 0n);
}

/** Months, price factor after the specification's discount, and discount in per cent. */
const discounts = [
  [1, "1", 0],
  [2, "1", 0],
  [3, "0.95", 5],
  [4, "1", 0],
  [5, "1", 0],
  [6, "0.90", 10],
  [7, "1", 0],
  [8, "1", 0],
  [9, "1", 0],
  [10, "1", 0],
  [11, "1", 0],
  [12, "0.85", 15],
] as const;

function exactCents(price: string, months: number, suspended: boolean): bigint {
  const factor = discounts[months - 1]?.[1] ?? "1";
  const discounted = times(times(decimal(price), decimal(String(months))), decimal(factor));
  return toCents(times(discounted, decimal(suspended ? "1.10" : "1")));
}

const prices = ["9.99", "0.01", "4.99", "0.05", "0.10", "19.95", "333.33", "1000000.00", "0.00"];

describe("the price of a renewal", () => {
  describe.each(prices)("of %s EUR a month", (price) => {
    const monthGrossCents = BigInt(price.replace(".", ""));
    describe.each([false, true])("suspended: %s", (suspended) => {
      test.each(discounts)("for %s months, of which %s remains", (months, _factor, discountPercent) => {
        const quote = quoteServerRenewal(monthGrossCents, months, suspended);
        expect(quote).toEqual({
          months,
          monthGrossCents,
          discountPercent,
          surchargePercent: suspended ? 10 : 0,
          grossCents: exactCents(price, months, suspended),
        });
      });
    });
  });

  it.each([
    // Computed by hand: 9.99 × 12 × 0.85 × 1.1 = 112.0878, and so on.
    [999n, 1, false, 999n],
    [999n, 3, false, 2_847n],
    [999n, 6, false, 5_395n],
    [999n, 12, false, 10_190n],
    [999n, 12, true, 11_209n],
    [999n, 1, true, 1_099n],
    [999n, 3, true, 3_132n],
    // 0.01 × 3 × 0.95 = 0.0285.
    [1n, 3, false, 3n],
    [1n, 1, true, 1n],
    // 0.05 × 1.10 = 0.055: the half is rounded up.
    [5n, 1, true, 6n],
    // 0.10 × 3 × 0.95 = 0.285: the half is rounded up.
    [10n, 3, false, 29n],
    // 0.01 × 12 × 0.85 × 1.10 = 0.1122.
    [1n, 12, true, 11n],
    // 0.10 × 3 × 0.95 × 1.10 = 0.3135; code that also rounds after the discount returns 0.32.
    [10n, 3, true, 31n],
    [100n, 3, true, 314n],
    [499n, 6, true, 2_964n],
    [100_000_000n, 12, true, 1_122_000_000n],
  ])("%s cents for %s months, suspended: %s, is %s cents", (month, months, suspended, gross) => {
    expect(quoteServerRenewal(month, months, suspended).grossCents).toBe(gross);
  });

  test("law: it is the exact amount, rounded half up once, at any price", () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: 0n, max: 10n ** 11n }),
        fc.integer({ min: 1, max: 12 }),
        fc.boolean(),
        (monthGrossCents, months, suspended) => {
          const text = monthGrossCents.toString().padStart(3, "0");
          const price = `${text.slice(0, -2)}.${text.slice(-2)}`;
          const { grossCents } = quoteServerRenewal(monthGrossCents, months, suspended);
          expect(grossCents).toBe(exactCents(price, months, suspended));
        },
      ),
    );
  });

  test("law: a suspended server costs a tenth more of the discounted price, to half a cent", () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: 0n, max: 10n ** 9n }),
        fc.integer({ min: 1, max: 12 }),
        (month, months) => {
          const running = quoteServerRenewal(month, months, false).grossCents;
          const suspended = quoteServerRenewal(month, months, true).grossCents;
          const difference = 10n * suspended - 11n * running;
          expect(difference >= -11n && difference <= 11n).toBe(true);
        },
      ),
    );
  });
});

describe("the price of an order", () => {
  it.each(Array.from({ length: 12 }, (_, index) => index + 1))(
    "for %s months has no discount and no surcharge",
    (months) => {
      expect(quoteServerOrder(999n, months)).toEqual({
        months,
        monthGrossCents: 999n,
        discountPercent: 0,
        surchargePercent: 0,
        grossCents: 999n * BigInt(months),
      });
    },
  );
});

describe("the invoice of a server", () => {
  it("has one line over the total, which shows its calculation", () => {
    expect(serverRenewalLines("S", quoteServerRenewal(999n, 12, true))).toEqual([
      {
        description:
          "Renewal of a server S, 12 months, 9.99 EUR a month, 15 % discount, 10 % surcharge while suspended",
        quantity: 1,
        unitNetCents: 11_209n,
      },
    ]);
  });

  it("names no discount or surcharge if there is none", () => {
    expect(serverRenewalLines("S", quoteServerRenewal(999n, 1, false))).toEqual([
      { description: "Renewal of a server S, 1 month, 9.99 EUR a month", quantity: 1, unitNetCents: 999n },
    ]);
    expect(serverOrderLines("S", quoteServerOrder(5n, 3))).toEqual([
      { description: "Server S, 3 months, 0.05 EUR a month", quantity: 1, unitNetCents: 15n },
    ]);
  });

  it("is short enough for an invoice with any name of a plan", () => {
    const [line] = serverRenewalLines("W".repeat(100), quoteServerRenewal(1_000_000_000n, 12, true));
    expect(line?.description.length).toBeLessThan(255);
  });
});
