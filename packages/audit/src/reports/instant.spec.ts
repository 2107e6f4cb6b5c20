import { describe, expect, it } from "vitest";
import { nextMicrosecond, previousMicrosecond, parseInstant, untilNow } from "./instant.ts";

describe("an instant", () => {
  it.each([
    ["2026-11-21", "2026-11-21T00:00:00.000000Z", "2026-11-21T23:59:59.999999Z"],
    ["2026-11-21T11:03Z", "2026-11-21T11:03:00.000000Z", "2026-11-21T11:03:00.000000Z"],
    ["2026-11-21T11:03:26Z", "2026-11-21T11:03:26.000000Z", "2026-11-21T11:03:26.000000Z"],
    ["2026-11-21T11:03:26.1Z", "2026-11-21T11:03:26.100000Z", "2026-11-21T11:03:26.100000Z"],
    ["2026-11-21T11:03:26.123456Z", "2026-11-21T11:03:26.123456Z", "2026-11-21T11:03:26.123456Z"],
    ["2026-11-21T00:30:00.000001+01:00", "2026-11-20T23:30:00.000001Z", "2026-11-20T23:30:00.000001Z"],
    ["2028-02-29", "2028-02-29T00:00:00.000000Z", "2028-02-29T23:59:59.999999Z"],
  ])("is read from %s", (text, first, last) => {
    expect([parseInstant(text, "first"), parseInstant(text, "last")]).toEqual([
      { ok: true, value: first },
      { ok: true, value: last },
    ]);
  });

  it.each([
    "",
    "now",
    "2026",
    "2026-13-01",
    "2026-02-29",
    "2026-02-31T00:00Z",
    "2026-11-21T24:00Z",
    "2026-11-21T11:03:26",
    "2026-11-21 11:03:26Z",
    "2026-11-21T11:03:26.1234567Z",
    "21.11.2026",
    "2026-11-21T11:60Z",
    "0000-01-01T00:00+12:00",
    "9999-12-31T23:00-12:00",
    "+2026-11-21",
  ])("is not %j", (text) => {
    expect(parseInstant(text, "first")).toMatchObject({ ok: false });
  });

  it.each([
    ["2026-11-21T11:03:26.000000Z", "2026-11-21T11:03:26.000001Z"],
    ["2026-11-21T11:03:26.000999Z", "2026-11-21T11:03:26.001000Z"],
    ["2026-12-31T23:59:59.999999Z", "2027-01-01T00:00:00.000000Z"],
  ])("%s is followed by %s", (instant, next) => {
    expect(nextMicrosecond(instant)).toBe(next);
    expect(previousMicrosecond(next)).toBe(instant);
  });

  it("becomes now if it is the end of the present day, and stays unchanged otherwise", () => {
    const now = "2026-11-21T11:03:26.000000Z";
    expect(untilNow("2026-11-21T23:59:59.999999Z", now)).toBe(now);
    expect(untilNow("2026-11-21T23:59:59.999998Z", now)).toBe("2026-11-21T23:59:59.999998Z");
    expect(untilNow("2026-11-22T23:59:59.999999Z", now)).toBe("2026-11-22T23:59:59.999999Z");
    expect(untilNow("2026-11-20T23:59:59.999999Z", now)).toBe("2026-11-20T23:59:59.999999Z");
  });
});
