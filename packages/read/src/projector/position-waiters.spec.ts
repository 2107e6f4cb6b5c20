import fc from "fast-check";
import { expect, test, vi } from "vitest";

import { PositionWaiters } from "./position-waiters.ts";

test("a position already reached is answered at once", async () => {
  const waiters = new PositionWaiters();
  waiters.reach(7n);
  await expect(waiters.wait(7n, 0)).resolves.toBe(true);
});

test("only callers whose position is late get a timeout", async () => {
  vi.useFakeTimers();
  try {
    const waiters = new PositionWaiters();
    const impatient = waiters.wait(2n, 10);
    const patient = waiters.wait(2n, 1_000);
    await vi.advanceTimersByTimeAsync(10);
    await expect(impatient).resolves.toBe(false);
    waiters.reach(2n);
    await expect(patient).resolves.toBe(true);
    expect(vi.getTimerCount()).toBe(0);
  } finally {
    vi.useRealTimers();
  }
});

test("exactly the callers whose position is reached are woken, in any order", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.bigInt(0n, 20n)), fc.bigInt(0n, 20n), async (positions, reached) => {
      const waiters = new PositionWaiters();
      const woken: bigint[] = [];
      for (const position of positions) {
        void waiters.wait(position, 60_000).then(() => woken.push(position));
      }
      waiters.reach(reached);
      await Promise.resolve();
      expect(woken.toSorted()).toEqual(positions.filter((position) => position <= reached).toSorted());
      waiters.reach(20n);
    }),
  );
});

test("a pause ends when a caller waits, or after its time", async () => {
  vi.useFakeTimers();
  try {
    const { signal } = new AbortController();
    const waiters = new PositionWaiters();
    const rested = waiters.untilAwaited(100, signal);
    const waiting = waiters.wait(1n, 60_000);
    await rested;
    await waiters.untilAwaited(100, signal);
    waiters.reach(1n);
    await waiting;
    const resting = waiters.untilAwaited(100, signal);
    await vi.advanceTimersByTimeAsync(100);
    await resting;
    // Without a pause in progress, the call applies to the next pause only.
    waiters.awaitElsewhere();
    await waiters.untilAwaited(100, signal);
    const another = waiters.untilAwaited(100, signal);
    waiters.awaitElsewhere();
    await another;
    const last = waiters.untilAwaited(100, signal);
    await vi.advanceTimersByTimeAsync(100);
    await last;
    expect(vi.getTimerCount()).toBe(0);
  } finally {
    vi.useRealTimers();
  }
});

test("a patient caller ends no pause, and is woken with the others", async () => {
  vi.useFakeTimers();
  try {
    const { signal } = new AbortController();
    const waiters = new PositionWaiters();
    let hasRested = false;
    const rested = waiters.untilAwaited(100, signal).then(() => (hasRested = true));
    const inNoHurry = waiters.wait(1n, 60_000, false);
    await vi.advanceTimersByTimeAsync(99);
    expect([hasRested, waiters.isAwaited]).toEqual([false, false]);
    const waiting = waiters.wait(1n, 60_000);
    await rested;
    expect(waiters.isAwaited).toBe(true);
    waiters.reach(1n);
    expect(await Promise.all([inNoHurry, waiting])).toEqual([true, true]);
    expect(vi.getTimerCount()).toBe(0);
  } finally {
    vi.useRealTimers();
  }
});
