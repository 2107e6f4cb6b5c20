import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { manualClock, type ManualClock } from "../clock.ts";
import { Backoff, retry } from "./backoff.ts";

let clock: ManualClock;
beforeEach(() => {
  clock = manualClock("2026-03-01T10:00:00Z");
});
afterEach(() => {
  vi.restoreAllMocks();
});

const limits = { firstMs: 100, longestMs: 1_000 };
const several = (backoff: Backoff, count: number): readonly number[] =>
  Array.from({ length: count }, () => backoff.next());

describe("the pauses of a backoff", () => {
  it("double up to the longest, at their longest by chance", () => {
    vi.spyOn(Math, "random").mockReturnValue(1);
    expect(several(new Backoff(limits, clock), 6)).toEqual([100, 200, 400, 800, 1_000, 1_000]);
  });

  it("are half as long at their shortest", () => {
    vi.spyOn(Math, "random").mockReturnValue(0);
    expect(several(new Backoff(limits, clock), 6)).toEqual([50, 100, 200, 400, 500, 500]);
  });

  it("differ", () => {
    const backoff = new Backoff({ firstMs: 1_000_000, longestMs: 1_000_000 }, clock);
    expect(new Set(several(backoff, 100)).size).toBeGreaterThan(50);
  });

  it("begin again after a reset", () => {
    vi.spyOn(Math, "random").mockReturnValue(1);
    const backoff = new Backoff(limits, clock);
    several(backoff, 5);
    backoff.reset();
    expect(backoff.next()).toBe(100);
  });

  it("are waited for by the clock, or until the signal aborts", async () => {
    vi.spyOn(Math, "random").mockReturnValue(1);
    const backoff = new Backoff(limits, clock);
    const first = backoff.pause();
    clock.advance(100);
    await first;
    await backoff.pause(AbortSignal.abort());
    expect(clock.monotonicMilliseconds()).toBe(100);
  });

  it("end when the next one would exceed the total time", () => {
    vi.spyOn(Math, "random").mockReturnValue(1);
    const backoff = new Backoff({ ...limits, overallMs: 500 }, clock);
    expect([backoff.next(), backoff.isOver]).toEqual([100, false]);
    clock.advance(301);
    expect(backoff.isOver).toBe(true);
    backoff.reset();
    expect(backoff.isOver).toBe(false);
  });

  it("never end without a total time", () => {
    const backoff = new Backoff(limits, clock);
    clock.advance(1_000_000_000);
    expect(backoff.isOver).toBe(false);
  });
});

describe("what is tried again", () => {
  const failing = (times: number) => {
    let tried = 0;
    const attempt = (): Promise<number> => {
      tried += 1;
      return tried > times ? Promise.resolve(tried) : Promise.reject(new Error(`failure ${String(tried)}`));
    };
    return { attempt, tried: () => tried };
  };
  const quick = () => new Backoff({ firstMs: 0, longestMs: 0 }, clock);

  it("is answered by the first attempt that succeeds", async () => {
    expect(await retry(failing(3).attempt, { backoff: quick() })).toBe(4);
  });

  it("fails with the last of the allowed attempts", async () => {
    const { attempt, tried } = failing(5);
    await expect(retry(attempt, { backoff: quick(), attempts: 3 })).rejects.toThrow("failure 3");
    expect(tried()).toBe(3);
  });

  it("fails at once with a permanent failure", async () => {
    const { attempt, tried } = failing(5);
    const mayPass = (error: unknown) => error instanceof Error && error.message !== "failure 2";
    await expect(retry(attempt, { backoff: quick(), mayPass })).rejects.toThrow("failure 2");
    expect(tried()).toBe(2);
  });

  it("fails when the time for all is over", async () => {
    const backoff = new Backoff({ firstMs: 100, longestMs: 100, overallMs: 0 }, clock);
    await expect(retry(failing(5).attempt, { backoff })).rejects.toThrow("failure 1");
  });

  it("is not tried any more once the signal has aborted", async () => {
    const { attempt, tried } = failing(5);
    const stopping = new AbortController();
    const trying = retry(attempt, { backoff: new Backoff(limits, clock), signal: stopping.signal });
    await Promise.resolve();
    stopping.abort();
    await expect(trying).rejects.toThrow("failure 1");
    expect(tried()).toBe(1);
  });
});
