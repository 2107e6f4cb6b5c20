import { expect, it } from "vitest";

import { readAhead } from "./read-ahead.ts";

/** Yields numbers up to a limit, and records requests and the end. */
function counting(limit: number) {
  const seen = { asked: 0, isEnded: false };
  async function* source(): AsyncGenerator<number, void, undefined> {
    try {
      while (seen.asked < limit) {
        seen.asked += 1;
        yield await Promise.resolve(seen.asked);
      }
      throw new Error("there is no more");
    } finally {
      seen.isEnded = true;
    }
  }
  return { seen, source: source() };
}

it("requests the next item before its reader returns, and no other", async () => {
  const { seen, source } = counting(5);
  const reader = readAhead(source);
  expect(seen.asked).toBe(0);
  expect(await reader.next()).toEqual({ done: false, value: 1 });
  await new Promise(setImmediate);
  expect(seen.asked).toBe(2);
  expect(await reader.next()).toEqual({ done: false, value: 2 });
});

it("waits for its reader if configured", async () => {
  const { seen, source } = counting(5);
  const reader = readAhead(source, (number) => number !== 2);
  for (const asked of [2, 2, 4]) {
    await reader.next();
    await new Promise(setImmediate);
    expect(seen.asked).toBe(asked);
  }
});

it("throws its source's error, after the earlier items", async () => {
  const { seen, source } = counting(2);
  const given: number[] = [];
  const reading = async (): Promise<void> => {
    for await (const number of readAhead(source)) {
      given.push(number);
      // Waits until the failure has happened unobserved.
      await new Promise(setImmediate);
    }
  };
  await expect(reading()).rejects.toThrow("there is no more");
  expect({ given, isEnded: seen.isEnded }).toEqual({ given: [1, 2], isEnded: true });
});

it("ends with its source", async () => {
  async function* two(): AsyncGenerator<number, void, undefined> {
    yield await Promise.resolve(1);
    yield 2;
  }
  const given: number[] = [];
  for await (const number of readAhead(two())) given.push(number);
  expect(given).toEqual([1, 2]);
});

it("ends its source when the reader leaves", async () => {
  const { seen, source } = counting(5);
  for await (const number of readAhead(source, () => false)) if (number === 2) break;
  expect(seen).toEqual({ asked: 2, isEnded: true });
});

it("ends at once for a reader that leaves", async () => {
  const { promise, resolve } = Promise.withResolvers<number>();
  const seen = { isEnded: false };
  async function* source(): AsyncGenerator<number, void, undefined> {
    try {
      yield 1;
      yield await promise;
    } finally {
      seen.isEnded = true;
    }
  }
  const reader = readAhead(source());
  await reader.next();
  await reader.return();
  expect(seen.isEnded).toBe(false);
  resolve(2);
  await new Promise(setImmediate);
  expect(seen.isEnded).toBe(true);
});
