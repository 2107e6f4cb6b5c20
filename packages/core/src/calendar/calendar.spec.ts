import fc from "fast-check";
import { describe, expect, it, test } from "vitest";

import {
  addMilliseconds,
  addMonths,
  addMonthsOnDay,
  addYears,
  dayOfMonth,
  epochMilliseconds,
  parseInstant,
  wholeDaysUntil,
} from "./calendar.ts";

const day = (date: string, time = "12:34:56.789012"): string => `${date}T${time}Z`;

const anyInstant = fc
  .tuple(
    fc.date({ min: new Date("1970-01-01"), max: new Date("2169-12-31"), noInvalidDate: true }),
    fc.integer({ min: 0, max: 999 }),
  )
  .map(([date, micros]) => `${date.toISOString().slice(0, -1)}${String(micros).padStart(3, "0")}Z`);

describe("adding years", () => {
  it.each([
    ["2026-03-01", 1, "2027-03-01"],
    ["2024-02-29", 1, "2025-02-28"],
    ["2024-02-29", 4, "2028-02-29"],
    ["2096-02-29", 4, "2100-02-28"],
    ["1996-02-29", 4, "2000-02-29"],
    ["2025-02-28", 3, "2028-02-28"],
    ["2026-12-31", 10, "2036-12-31"],
    ["2026-06-15", 0, "2026-06-15"],
  ])("%s and %s", (date, years, expected) => {
    expect(addYears(day(date), years)).toBe(day(expected));
  });
});

describe("adding months", () => {
  it.each([
    ["2026-01-31", 1, "2026-02-28"],
    ["2024-01-31", 1, "2024-02-29"],
    ["2026-01-31", 2, "2026-03-31"],
    ["2026-01-31", 3, "2026-04-30"],
    ["2026-12-01", 1, "2027-01-01"],
    ["2026-11-30", 3, "2027-02-28"],
    ["2026-12-31", 12, "2027-12-31"],
    ["2026-01-15", -1, "2025-12-15"],
    ["2026-03-31", -1, "2026-02-28"],
  ])("%s and %s", (date, months, expected) => {
    expect(addMonths(day(date), months)).toBe(day(expected));
  });

  it.each([
    "2026-03-01",
    "2026-03-01T00:00:00Z",
    "2026-03-01T00:00:00.000Z",
    "2026-03-01T00:00:00.000000+01:00",
    "",
  ])("refuses %j, which is no instant", (text) => {
    expect(() => addMonths(text, 1)).toThrow(RangeError);
  });

  test("law: the month is right, the day is kept or is the month's last, the time is kept", () => {
    fc.assert(
      fc.property(anyInstant, fc.integer({ min: 0, max: 240 }), (instant, months) => {
        const added = addMonths(instant, months);
        const [year = 0, month = 0, dayOfMonth = 0] = added.slice(0, 10).split("-").map(Number);
        const monthsFrom = (text: string): number => Number(text.slice(0, 4)) * 12 + Number(text.slice(5, 7));
        expect(monthsFrom(added) - monthsFrom(instant)).toBe(months);
        expect(added.slice(10)).toBe(instant.slice(10));
        const lastDay = new Date(Date.UTC(year, month, 0)).getUTCDate();
        expect(dayOfMonth).toBe(Math.min(Number(instant.slice(8, 10)), lastDay));
      }),
    );
  });
});

describe("adding months on an anchor day", () => {
  it.each([
    ["2026-01-31", 1, 31, "2026-02-28"],
    ["2024-01-31", 1, 31, "2024-02-29"],
    ["2026-02-28", 1, 31, "2026-03-31"],
    ["2026-02-28", 2, 31, "2026-04-30"],
    ["2026-02-28", 1, 30, "2026-03-30"],
    ["2026-02-28", 1, 28, "2026-03-28"],
    ["2026-11-30", 3, 31, "2027-02-28"],
    ["2027-02-28", 12, 29, "2028-02-29"],
    ["2099-12-31", 2, 31, "2100-02-28"],
    ["2026-04-30", 0, 31, "2026-04-30"],
  ])("%s and %s on day %s", (date, months, anchorDay, expected) => {
    expect(addMonthsOnDay(day(date), months, anchorDay)).toBe(day(expected));
  });

  it("falls on 28 February and again on 31 March, month by month from 31 January", () => {
    const expiries = [];
    let expiry = day("2026-01-31");
    for (let month = 0; month < 14; month += 1) {
      expiry = addMonthsOnDay(expiry, 1, 31);
      expiries.push(expiry.slice(5, 10));
    }
    const year = ["02-28", "03-31", "04-30", "05-31", "06-30", "07-31", "08-31", "09-30", "10-31", "11-30"];
    expect(expiries).toEqual([...year, "12-31", "01-31", "02-28", "03-31"]);
  });

  test("law: however the months are split into renewals, they end on the same day", () => {
    const anyTerms = fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 30 });
    fc.assert(
      fc.property(anyInstant, anyTerms, (instant, terms) => {
        const anchorDay = dayOfMonth(instant);
        const stepwise = terms.reduce((from, months) => addMonthsOnDay(from, months, anchorDay), instant);
        const atOnce = terms.reduce((sum, months) => sum + months, 0);
        expect(stepwise).toBe(addMonthsOnDay(instant, atOnce, anchorDay));
      }),
    );
  });

  test("law: a later term ends later, and never on a day after the anchor", () => {
    const anyDay = fc.integer({ min: 1, max: 31 });
    fc.assert(
      fc.property(anyInstant, anyDay, fc.integer({ min: 0, max: 240 }), (instant, anchorDay, months) => {
        const ends = addMonthsOnDay(instant, months, anchorDay);
        expect(dayOfMonth(ends)).toBeLessThanOrEqual(anchorDay);
        expect(addMonthsOnDay(instant, months + 1, anchorDay) > ends).toBe(true);
      }),
    );
  });
});

describe("adding milliseconds", () => {
  it.each([
    ["2026-12-31", 86_400_000, "2027-01-01"],
    ["2024-02-28", 86_400_000, "2024-02-29"],
    ["2026-03-01", -86_400_000, "2026-02-28"],
  ])("%s and %s", (date, milliseconds, expected) => {
    expect(addMilliseconds(day(date), milliseconds)).toBe(day(expected));
  });

  test("law: it adds the exact milliseconds and preserves the microseconds", () => {
    fc.assert(
      fc.property(anyInstant, fc.integer({ min: 0, max: 10 ** 10 }), (instant, milliseconds) => {
        const added = addMilliseconds(instant, milliseconds);
        expect(epochMilliseconds(added) - epochMilliseconds(instant)).toBe(milliseconds);
        expect(added.slice(-4)).toBe(instant.slice(-4));
        expect(added >= instant).toBe(true);
      }),
    );
  });
});

describe("whole days", () => {
  it.each([
    [day("2026-03-01"), day("2026-03-01"), 0],
    [day("2026-03-01"), day("2026-03-02"), 1],
    [day("2024-02-28"), day("2024-03-01"), 2],
    [day("2026-02-28"), day("2026-03-01"), 1],
    [day("2026-01-01"), day("2027-01-01"), 365],
    [day("2024-01-01"), day("2025-01-01"), 366],
    // UTC has no summer time.
    [day("2026-03-28"), day("2026-03-30"), 2],
    [day("2026-03-02"), day("2026-03-01"), 0],
    [day("2026-03-01", "00:00:00.000001"), day("2026-03-02", "00:00:00.000000"), 0],
    [day("2026-03-01", "00:00:00.000001"), day("2026-03-02", "00:00:00.000001"), 1],
    [day("2026-03-01", "23:59:59.999999"), day("2026-03-02", "00:00:00.000000"), 0],
  ])("from %s until %s are %s", (from, until, days) => {
    expect(wholeDaysUntil(from, until)).toBe(days);
  });
});

describe("an instant as it is written", () => {
  it.each([
    ["2030-01-31T12:00:00Z", "2030-01-31T12:00:00.000000Z"],
    ["2030-01-31T12:00:00.5Z", "2030-01-31T12:00:00.500000Z"],
    ["2030-01-31T12:00:00.123456+02:00", "2030-01-31T10:00:00.123456Z"],
    ["2028-02-29T23:30:00-01:00", "2028-03-01T00:30:00.000000Z"],
  ])("%s is %s", (text, instant) => {
    expect(parseInstant(text)).toEqual({ ok: true, value: instant });
  });

  it.each([
    "",
    "tomorrow",
    "2030-01-31",
    "2030-01-31 12:00:00Z",
    "2030-01-31T12:00:00",
    "2029-02-29T12:00:00Z",
    "2030-13-01T12:00:00Z",
    "2030-01-31T25:00:00Z",
    "2030-01-31T24:00:00Z",
    "2030-01-31T12:00:00+99:00",
    "9999-12-31T23:59:59-23:00",
  ])("%j is invalid", (text) => {
    expect(parseInstant(text).ok).toBe(false);
  });
});
