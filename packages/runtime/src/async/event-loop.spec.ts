import { describe, expect, it } from "vitest";

import { eventLoopByHand } from "../testing/event-loop-by-hand.ts";
import { turns } from "../testing/turns.ts";
import { afterThisTurn, mapInParts, whileOthersAreBusy, yieldToOthers } from "./event-loop.ts";

it("waits until the other work of the turn is done", async () => {
  const diary: string[] = [];
  afterThisTurn(() => diary.push("after this turn"));
  diary.push("now");
  await yieldToOthers();
  diary.push("afterwards");
  expect(diary).toEqual(["now", "after this turn", "afterwards"]);
});

it.each([
  ["one turn where nobody has anything to do", [0], 1],
  ["turns that others fill, and one more", [3, 0.2, 4, 0.05], 4],
  ["no longer than the limit", [8, 8, 8, 8], 3],
])("waits while others are busy: %s", async (_, lengthsMs, waited) => {
  const { loop, turn, taken } = eventLoopByHand();
  const waiting = whileOthersAreBusy(20, loop);
  for (const milliseconds of lengthsMs) await turn(milliseconds);
  await waiting;
  expect(taken()).toBe(waited);
});

describe("what is made of each of many", () => {
  it("is in their order, and others have a turn after each part", async () => {
    const counted = turns();
    const items = Array.from({ length: 25 }, (_, at) => at);
    expect(await mapInParts(items, 5, (item) => 2 * item)).toEqual(items.map((item) => 2 * item));
    expect(counted()).toBeGreaterThanOrEqual(5);
  });

  it("is empty for an empty list", async () => {
    expect(await mapInParts([], 5, String)).toEqual([]);
  });
});
