import { DatabaseSync } from "node:sqlite";

import { expect, test, vi } from "vitest";

import { monotonicMilliseconds } from "./async/timing.ts";
import { execWaiting } from "./sqlite-waiting.ts";

const busy = Object.assign(new Error("database is locked"), { errcode: 5 });

/** A database that answers a statement so often with an error at once. */
function answering(error: Error, times: number) {
  const database = new DatabaseSync(":memory:");
  const exec = vi.spyOn(database, "exec");
  for (let time = 0; time < times; time += 1)
    exec.mockImplementationOnce(() => {
      throw error;
    });
  return { database, exec };
}

test("a wait that SQLite ends too soon goes on", () => {
  const { database, exec } = answering(busy, 3);
  execWaiting(database, "BEGIN IMMEDIATE", 5_000);
  expect(exec).toHaveBeenCalledTimes(4);
  expect(database.isTransaction).toBe(true);
});

test("a wait ends when its time is over, and what needs none is tried once", () => {
  const { database, exec } = answering(busy, 100);
  const beganMs = monotonicMilliseconds();
  expect(() => {
    execWaiting(database, "BEGIN IMMEDIATE", 20);
  }).toThrow("database is locked");
  expect(monotonicMilliseconds() - beganMs).toBeGreaterThanOrEqual(20);
  exec.mockClear();
  expect(() => {
    execWaiting(database, "BEGIN IMMEDIATE", 0);
  }).toThrow("database is locked");
  expect(exec).toHaveBeenCalledTimes(1);
});

test("nothing else is waited for", () => {
  const { database, exec } = answering(Object.assign(new Error("disk full"), { errcode: 13 }), 1);
  expect(() => {
    execWaiting(database, "BEGIN IMMEDIATE", 5_000);
  }).toThrow("disk full");
  expect(exec).toHaveBeenCalledTimes(1);
});
