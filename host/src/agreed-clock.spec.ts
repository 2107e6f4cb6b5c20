import { manualClock, monotonicMilliseconds } from "@hostledger/runtime";
import { expect, it } from "vitest";

import { createAgreedClock } from "./agreed-clock.ts";

const day = 86_400_000;
const start = Date.UTC(2026, 10, 24);
const own = manualClock("2026-12-24T00:00:00.000000Z");

it("is the process's own until the database answers, then the database's, even if the own one is wrong", () => {
  const agreed = createAgreedClock(own, 0);
  expect(agreed.clock.epochMilliseconds()).toBe(own.epochMilliseconds());

  agreed.observe({ epochMs: start, monotonicMs: monotonicMilliseconds() });
  const heard = agreed.clock.epochMilliseconds();
  expect(Math.floor((heard - start) / day)).toBe(0);
  own.advance(day);
  expect(Math.floor((agreed.clock.epochMilliseconds() - start) / day)).toBe(0);
});

it("follows the monotonic clock while the database does not answer", () => {
  const agreed = createAgreedClock(own, 0);
  agreed.observe({ epochMs: start, monotonicMs: monotonicMilliseconds() - 3 * day });
  expect(Math.floor((agreed.clock.epochMilliseconds() - start) / day)).toBe(3);
});

it("is moved as the deployment's time is moved on purpose", () => {
  const agreed = createAgreedClock(own, -10 * day);
  agreed.observe({ epochMs: start, monotonicMs: monotonicMilliseconds() });
  expect(agreed.clock.now().slice(0, 10)).toBe("2026-11-14");
});

it("computes the time of the process's own clock, which may be ahead on purpose and not behind", () => {
  const moved = (offsetMs: number): number => {
    const agreed = createAgreedClock(own, offsetMs);
    expect(agreed.expectedMilliseconds()).toBeUndefined();
    agreed.observe({ epochMs: start, monotonicMs: monotonicMilliseconds() });
    return Math.floor(((agreed.expectedMilliseconds() ?? 0) - start) / day);
  };
  expect([moved(0), moved(10 * day), moved(-10 * day)]).toEqual([0, 10, 0]);
});
