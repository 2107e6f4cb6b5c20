import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { manualClock, parseClockOffset, systemClock } from "./clock.ts";

describe("systemClock", () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.UTC(2026, 10, 21, 1, 30) });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it("writes ISO 8601 UTC with six fractional digits", () => {
    expect(systemClock().now()).toBe("2026-11-21T01:30:00.000000Z");
  });

  it("returns a later text at every call, also within one millisecond", () => {
    const clock = systemClock();
    const times = Array.from({ length: 2_500 }, () => clock.now());
    expect(times[1]).toBe("2026-11-21T01:30:00.000001Z");
    expect(times).toEqual([...new Set(times)].sort());
  });

  it("never goes back when the machine's clock is set back", () => {
    const clock = systemClock();
    const before = clock.now();
    vi.setSystemTime(Date.UTC(2026, 10, 21, 1, 29));
    expect(clock.now() > before).toBe(true);
  });

  it("is moved by its offset", () => {
    const clock = systemClock(-86_400_000);
    expect(clock.now()).toBe("2026-11-20T01:30:00.000000Z");
    expect(clock.epochMilliseconds()).toBe(Date.UTC(2026, 10, 20, 1, 30));
  });
});

describe("manualClock", () => {
  it("advances only on demand", () => {
    const clock = manualClock("2024-02-29T23:59:59.999999Z");
    expect([clock.now(), clock.now()]).toEqual(Array(2).fill("2024-02-29T23:59:59.999999Z"));
    clock.advance(0.001);
    expect(clock.now()).toBe("2024-03-01T00:00:00.000000Z");
    expect(clock.epochMilliseconds()).toBe(Date.UTC(2024, 2, 1));
  });

  it("wakes those who wait by it in the order in which they are due, each at its time", async () => {
    const clock = manualClock("2026-03-01T10:00:00Z");
    const woken: string[] = [];
    const note = (name: string) => (): void => {
      woken.push(`${name} at ${String(clock.monotonicMilliseconds())}`);
    };
    const sleeping = [clock.sleep(30), clock.sleep(10)];
    clock.after(20, note("second"));
    clock.after(10, note("first"));
    clock.after(10, () => clock.after(5, note("asked for on the way")));
    clock.after(40, note("never"))();
    clock.advance(29);
    expect(woken).toEqual(["first at 10", "asked for on the way at 15", "second at 20"]);
    await sleeping[1];
    clock.advance(100);
    await sleeping[0];
    expect(woken).toHaveLength(3);
  });

  it("can leave the waiting to another time", async () => {
    const waits = manualClock("2026-03-01T10:00:00Z");
    const clock = manualClock("2026-03-01T10:00:00Z", waits);
    const sleeping = clock.sleep(10);
    clock.advance(10);
    waits.advance(10);
    await sleeping;
    expect(clock.epochMilliseconds()).toBe(Date.UTC(2026, 2, 1, 10, 0, 0, 10));
  });

  it.each(["yesterday", "2024-13-01T00:00:00Z", "2024-01-01T00:00:00+01:00"])("refuses %s", (start) => {
    expect(() => manualClock(start)).toThrow(RangeError);
  });

  it("refuses to go back", () => {
    expect(() => {
      manualClock("2024-01-01T00:00:00Z").advance(-1);
    }).toThrow(RangeError);
  });
});

describe("parseClockOffset", () => {
  it.each([
    ["+51w", 51 * 604_800_000],
    ["-3d", -3 * 86_400_000],
    ["90m", 5_400_000],
    ["2h", 7_200_000],
    ["0", 0],
    ["+0", 0],
    ["0s", 0],
    ["-0s", 0],
  ])("reads %s", (text, milliseconds) => {
    expect(parseClockOffset(text)).toBe(milliseconds);
  });

  it.each(["", "51", "w", "+51 w", "1.5d", "+51W", "1y", "5201w", "+-1d"])("does not read %j", (text) => {
    expect(parseClockOffset(text)).toBeUndefined();
  });
});
