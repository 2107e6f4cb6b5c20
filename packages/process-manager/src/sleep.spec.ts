import { afterEach, beforeEach, expect, it, vi } from "vitest";

import { sleep } from "./sleep.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

it("waits so long", async () => {
  const woken = vi.fn();
  void sleep(1_000).then(woken);
  await vi.advanceTimersByTimeAsync(999);
  expect(woken).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);
  expect(woken).toHaveBeenCalled();
});

it("is cut short by its signal, and leaves no timer behind", async () => {
  const cut = new AbortController();
  const sleeping = sleep(1_000, cut.signal);
  cut.abort();
  await sleeping;
  expect(vi.getTimerCount()).toBe(0);
});

it.each([
  ["a signal that has aborted", () => sleep(1_000, AbortSignal.abort())],
  ["no time", () => sleep(0)],
  ["a time that is past", () => sleep(-5)],
])("does not wait for %s", async (_, sleeping) => {
  await sleeping();
  expect(vi.getTimerCount()).toBe(0);
});
