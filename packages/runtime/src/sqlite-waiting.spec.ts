import { expect, test, vi } from "vitest";

import { monotonicMilliseconds } from "./async/timing.ts";
import { untilFree, whileBusy } from "./sqlite-waiting.ts";

const busy = Object.assign(new Error("database is locked"), { errcode: 5 });

/** Returns work that fails some times at once. */
function failing(error: Error, times: number) {
  const work = vi.fn(() => "done");
  for (let time = 0; time < times; time += 1)
    work.mockImplementationOnce(() => {
      throw error;
    });
  return work;
}

test("a wait that SQLite ends too soon continues", () => {
  const work = failing(busy, 3);
  expect(whileBusy(5_000, work)).toBe("done");
  expect(work).toHaveBeenCalledTimes(4);
});

test("a wait ends after its time, and work without waiting is tried once", () => {
  const work = failing(busy, 100);
  const beganMs = monotonicMilliseconds();
  expect(() => whileBusy(20, work)).toThrow("database is locked");
  expect(monotonicMilliseconds() - beganMs).toBeGreaterThanOrEqual(20);
  work.mockClear();
  expect(() => whileBusy(0, work)).toThrow("database is locked");
  expect(work).toHaveBeenCalledTimes(1);
});

test("no other error is retried", () => {
  const work = failing(Object.assign(new Error("disk full"), { errcode: 13 }), 1);
  expect(() => whileBusy(5_000, work)).toThrow("disk full");
  expect(work).toHaveBeenCalledTimes(1);
});

test("a wait ends with the free file, with its time, or with another error", async () => {
  await expect(untilFree(5_000, failing(busy, 3))).resolves.toBe("done");
  await expect(untilFree(0, failing(busy, 1))).rejects.toThrow("database is locked");
  const full = failing(Object.assign(new Error("disk full"), { errcode: 13 }), 1);
  await expect(untilFree(5_000, full)).rejects.toThrow("disk full");
  expect(full).toHaveBeenCalledTimes(1);
});
