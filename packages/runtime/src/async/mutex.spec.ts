import { beforeEach, describe, expect, it } from "vitest";

import { manualClock, type ManualClock } from "../clock.ts";
import { KeyedMutex, Mutex, type Release } from "./mutex.ts";

function diarist() {
  const diary: string[] = [];
  const work =
    (name: string, fails = false) =>
    async (): Promise<string> => {
      diary.push(`${name} begins`);
      await Promise.resolve();
      diary.push(`${name} ends`);
      if (fails) throw new Error(name);
      return name;
    };
  return { diary, work };
}

const oneAfterTheOther = ["a begins", "a ends", "b begins", "b ends", "c begins", "c ends"];

describe("a mutex", () => {
  it("runs work one after the other, also after a failure", async () => {
    const mutex = new Mutex();
    const { diary, work } = diarist();
    const answers = await Promise.allSettled([
      mutex.run(work("a")),
      mutex.run(work("b", true)),
      mutex.run(work("c")),
    ]);
    expect(diary).toEqual(oneAfterTheOther);
    expect(answers.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
  });
});

describe("work under a key", () => {
  it("runs one after the other, also after a failure", async () => {
    const mutex = new KeyedMutex<number>();
    const { diary, work } = diarist();
    const answers = await Promise.allSettled([
      mutex.run(1, work("a")),
      mutex.run(1, work("b", true)),
      mutex.run(1, work("c")),
    ]);
    expect(diary).toEqual(oneAfterTheOther);
    expect(answers.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
    expect(mutex.isHeld(1)).toBe(false);
  });

  it("is done at the same time as that under another key", async () => {
    const mutex = new KeyedMutex<number>();
    const gate = Promise.withResolvers<undefined>();
    const one = mutex.run(1, () => gate.promise);
    expect(await mutex.run(2, () => Promise.resolve("two"))).toBe("two");
    gate.resolve(undefined);
    await one;
  });
});

describe("a key", () => {
  let clock: ManualClock;
  let mutex: KeyedMutex<string>;
  beforeEach(() => {
    clock = manualClock("2026-03-01T10:00:00Z");
    mutex = new KeyedMutex({ waiting: 2, timing: clock });
  });

  async function acquired(key: string): Promise<Release> {
    const release = await mutex.acquire(key, 0);
    if (release === undefined) throw new Error(`${key} is held`);
    return release;
  }

  it("is held by one at a time, in the order of arrival", async () => {
    const order: string[] = [];
    const first = await acquired("a");
    const waiting = ["second", "third"].map(async (name) => {
      const release = await mutex.acquire("a", 1_000);
      order.push(name);
      release?.();
    });
    await Promise.resolve();
    expect(order).toEqual([]);
    first();
    await Promise.all(waiting);
    expect(order).toEqual(["second", "third"]);
    expect(mutex.isHeld("a")).toBe(false);
  });

  it("is independent of other keys", async () => {
    const release = await acquired("a");
    (await acquired("b"))();
    expect([mutex.isHeld("a"), mutex.isHeld("b")]).toEqual([true, false]);
    release();
  });

  it("is released once, however often it is called", async () => {
    const first = await acquired("a");
    const second = mutex.acquire("a", 1_000);
    const third = mutex.acquire("a", 1_000);
    first();
    first();
    const release = await second;
    let isThirdIn = false;
    void third.then(() => {
      isThirdIn = true;
    });
    for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
    expect(isThirdIn).toBe(false);
    release?.();
    (await third)?.();
    expect(mutex.isHeld("a")).toBe(false);
  });

  it("is awaited up to the limit, and callers that left are skipped", async () => {
    const first = await acquired("a");
    const short = mutex.acquire("a", 100);
    const long = mutex.acquire("a", 1_000);
    clock.advance(100);
    await expect(short).resolves.toBeUndefined();
    first();
    const release = await long;
    expect(release).toBeDefined();
    release?.();
    expect(mutex.isHeld("a")).toBe(false);
    clock.advance(10_000);
    expect(mutex.isHeld("a")).toBe(false);
  });

  it("is not waited for without a limit, nor by more than may", async () => {
    const release = await acquired("a");
    await expect(mutex.acquire("a", 0)).resolves.toBeUndefined();
    const waiting = [mutex.acquire("a", 1_000), mutex.acquire("a", 1_000)];
    await expect(mutex.acquire("a", 1_000)).resolves.toBeUndefined();
    release();
    for (const place of waiting) (await place)?.();
  });
});
