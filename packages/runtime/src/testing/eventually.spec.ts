import { expect, it } from "vitest";

import { eventually } from "./eventually.ts";
import { virtualClock } from "./virtual-clock.ts";

it("returns the value once it is as expected", async () => {
  const clock = virtualClock();
  let isThere = false;
  clock.after(1_000, () => {
    isThere = true;
  });
  const look = (): string => {
    if (!isThere) throw new Error("not yet");
    return "there";
  };
  expect(await eventually(clock, look)).toBe("there");
  expect(clock.monotonicMilliseconds()).toBe(1_000);
});

it("throws the last error when the time is over", async () => {
  const clock = virtualClock();
  let looks = 0;
  const look = (): Promise<never> => Promise.reject(new Error(`look ${String((looks += 1))}`));
  await expect(eventually(clock, look, { limitMs: 300, everyMs: 100 })).rejects.toThrow("look 4");
});
