import { manualClock } from "@hostledger/runtime";
import { yieldToOthers } from "@hostledger/runtime/async";
import { describe, expect, it } from "vitest";

import { createFailureLimit, failurePace } from "./rate-limit.ts";

const from = (remoteAddress: string) => ({ headers: {}, socket: { remoteAddress } });

/** Fails `times` authentications at one moment. @returns number of failures answered, and how many exceeded the limit */
function guess(address: string, times: number, perMinute = 1_000_000) {
  const clock = manualClock("2026-11-23T10:00:00.000000Z");
  const limit = createFailureLimit({ perMinute }, clock);
  const counted = { answered: 0, exceeded: 0 };
  const fail = async (origin: string): Promise<void> => {
    const exceeded = await limit.count(from(origin));
    counted.answered += 1;
    if (exceeded !== undefined) counted.exceeded += 1;
  };
  for (let turn = 0; turn < times; turn += 1) void fail(address);
  return { clock, counted, fail };
}

describe("failures of one address", () => {
  const { apartMs, atOnce, longestWaitMs } = failurePace;

  it("are answered at a limited pace, so that guessing does not slow other clients", async () => {
    const { clock, counted, fail } = guess("192.0.2.1", atOnce + 50);
    await yieldToOthers();
    expect(counted.answered).toBe(atOnce);
    await fail("192.0.2.2");
    expect(counted.answered).toBe(atOnce + 1);
    clock.advance(10 * apartMs);
    await yieldToOthers();
    expect(counted.answered).toBe(atOnce + 11);
    clock.advance(40 * apartMs);
    await yieldToOthers();
    expect(counted).toEqual({ answered: atOnce + 51, exceeded: 0 });
  });

  it("are refused at once if their turn is too far away", async () => {
    const waiting = longestWaitMs / apartMs;
    const { counted } = guess("192.0.2.1", atOnce + waiting + 7);
    await yieldToOthers();
    expect(counted).toEqual({ answered: atOnce + 7, exceeded: 7 });
  });
});
