import { describe, expect, it } from "vitest";

import { yieldToOthers } from "./event-loop.ts";
import { onBehalfOf } from "./on-behalf.ts";
import { Semaphore, SemaphoreFullError } from "./semaphore.ts";

const never = (): Promise<never> => new Promise(() => undefined);

describe("a semaphore", () => {
  it.each([1, 2, 3])("runs %i tasks at a time, and returns each its own result", async (permits) => {
    const semaphore = new Semaphore({ permits });
    let running = 0;
    let most = 0;
    const work = async (result: number): Promise<number> => {
      running += 1;
      most = Math.max(most, running);
      await Promise.resolve();
      running -= 1;
      return result;
    };
    const results = await Promise.all([1, 2, 3, 4, 5].map((result) => semaphore.run(() => work(result))));
    expect(results).toEqual([1, 2, 3, 4, 5]);
    expect(most).toBe(permits);
  });

  it("refuses tasks beyond the limit, at once and without beginning them", async () => {
    const semaphore = new Semaphore({ permits: 1, waiting: 1 });
    void semaphore.run(never);
    void semaphore.run(never);
    let isBegun = false;
    const third = semaphore.run(() => {
      isBegun = true;
      return Promise.resolve(3);
    });
    await expect(third).rejects.toBeInstanceOf(SemaphoreFullError);
    expect(isBegun).toBe(false);
  });

  it("continues after a failure, and has room again", async () => {
    const semaphore = new Semaphore({ permits: 1, waiting: 0 });
    await expect(semaphore.run(() => Promise.reject(new Error("no")))).rejects.toThrow("no");
    for (const result of [1, 2, 3])
      await expect(semaphore.run(() => Promise.resolve(result))).resolves.toBe(result);
  });

  it("continues with the next task when one fails", async () => {
    const semaphore = new Semaphore({ permits: 1, waiting: 1 });
    const first = semaphore.run(() => Promise.reject(new Error("no")));
    const second = semaphore.run(() => Promise.resolve(2));
    await expect(first).rejects.toThrow("no");
    await expect(second).resolves.toBe(2);
  });

  it("counts a repeated release once", async () => {
    const semaphore = new Semaphore({ permits: 1, waiting: 0 });
    const release = await semaphore.acquire();
    release();
    release();
    const again = await semaphore.acquire();
    await expect(semaphore.acquire()).rejects.toBeInstanceOf(SemaphoreFullError);
    again();
  });
});

describe("the owners of work", () => {
  /** Starts work of several owners, and notes the order in which it begins. */
  function openWork(options: ConstructorParameters<typeof Semaphore>[0]) {
    const semaphore = new Semaphore(options);
    const begun: string[] = [];
    const ends: (() => void)[] = [];
    return {
      begun,
      ask: (owner: string, work: string) =>
        onBehalfOf(owner, () =>
          semaphore.run(async () => {
            begun.push(work);
            await new Promise<void>((resolve) => ends.push(resolve));
          }),
        ),
      /** Ends the work that began first, when it has begun. */
      async endOne() {
        while (ends.length === 0) await yieldToOthers();
        ends.shift()?.();
        await yieldToOthers();
      },
    };
  }

  it("take turns, each in order of arrival", async () => {
    const { ask, begun, endOne } = openWork({ permits: 1 });
    const asked = ["a1", "a2", "a3", "a4", "b1", "c1", "b2"];
    const all = Promise.all(asked.map((work) => ask(work.charAt(0), work)));
    for (const _ of asked) await endOne();
    await all;
    expect(begun).toEqual(["a1", "a2", "b1", "c1", "a3", "b2", "a4"]);
  });

  it("leave permits to others, and get another when theirs is free", async () => {
    const { ask, begun, endOne } = openWork({ permits: 3, permitsPerOwner: 2 });
    const all = Promise.all(["a1", "a2", "a3", "b1", "b2"].map((work) => ask(work.charAt(0), work)));
    await yieldToOthers();
    expect(begun).toEqual(["a1", "a2", "b1"]);
    await endOne();
    expect(begun).toEqual(["a1", "a2", "b1", "a3"]);
    await endOne();
    expect(begun).toEqual(["a1", "a2", "b1", "a3", "b2"]);
    for (let left = 3; left > 0; left -= 1) await endOne();
    await all;
  });
});
