import { expect, it } from "vitest";

import { manualClock } from "../clock.ts";
import { Pace } from "./pace.ts";

const clock = manualClock("2026-11-23T10:00:00.000000Z");
const options = { apartMs: 10, atOnce: 3, longestWaitMs: 20 };

it("admits some at once, and the next ones one after the other", () => {
  const pace = new Pace(options, clock);
  expect(Array.from({ length: 5 }, () => pace.turn("one"))).toEqual([0, 0, 0, 10, 20]);
  expect(pace.turn("another")).toBe(0);
});

it("grants none that is too far away, and does not count it", () => {
  const pace = new Pace(options, clock);
  expect(Array.from({ length: 7 }, () => pace.turn("one")).slice(4)).toEqual([20, undefined, undefined]);
  clock.advance(10);
  expect([pace.turn("one"), pace.turn("one")]).toEqual([20, undefined]);
});

it("admits as many at once as before after a pause of that length", () => {
  const pace = new Pace(options, clock);
  for (let turn = 0; turn < 3; turn += 1) pace.turn("one");
  clock.advance(20);
  expect([pace.turn("one"), pace.turn("one"), pace.turn("one")]).toEqual([0, 0, 10]);
  clock.advance(1_000);
  expect(Array.from({ length: 4 }, () => pace.turn("one"))).toEqual([0, 0, 0, 10]);
});
