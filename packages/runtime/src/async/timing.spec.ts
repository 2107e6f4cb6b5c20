import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { backgroundTiming, realTiming } from "./timing.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe.each([
  ["the machine's time", realTiming],
  ["the machine's time in the background", backgroundTiming],
])("%s", (_, timing) => {
  it("is waited for so long", async () => {
    const woken = vi.fn();
    void timing.sleep(1_000).then(woken);
    await vi.advanceTimersByTimeAsync(999);
    expect(woken).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    expect(woken).toHaveBeenCalled();
  });

  it("is waited for until the signal aborts, and no timer is left behind", async () => {
    const cut = new AbortController();
    const sleeping = timing.sleep(1_000, cut.signal);
    cut.abort();
    await sleeping;
    expect(vi.getTimerCount()).toBe(0);
  });

  it.each([
    ["a signal that has aborted", () => timing.sleep(1_000, AbortSignal.abort())],
    ["no time", () => timing.sleep(0)],
    ["a time that is past", () => timing.sleep(-5)],
  ])("is not waited for with %s", async (_given, sleeping) => {
    await sleeping();
    expect(vi.getTimerCount()).toBe(0);
  });

  it("removes its listener from an unused signal", async () => {
    const { signal } = new AbortController();
    const remove = vi.spyOn(signal, "removeEventListener");
    const sleeping = timing.sleep(10, signal);
    await vi.advanceTimersByTimeAsync(10);
    await sleeping;
    expect(remove).toHaveBeenCalledOnce();
  });

  it("calls once, unless it was called off", async () => {
    const [kept, calledOff] = [vi.fn(), vi.fn()];
    timing.after(10, kept);
    timing.after(10, calledOff)();
    await vi.advanceTimersByTimeAsync(100);
    expect([kept.mock.calls.length, calledOff.mock.calls.length]).toEqual([1, 0]);
  });

  it("supports waits that are longer than Node's timers", async () => {
    const woken = vi.fn();
    void timing.sleep(2 ** 40).then(woken);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(woken).not.toHaveBeenCalled();
  });

  it("continues", async () => {
    const before = timing.monotonicMilliseconds();
    await vi.advanceTimersByTimeAsync(7);
    expect(timing.monotonicMilliseconds() - before).toBeCloseTo(7);
  });
});
