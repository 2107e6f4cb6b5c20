import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { createLines, type Lines, type Release } from "./lines.ts";

let lines: Lines;
beforeEach(() => {
  vi.useFakeTimers();
  lines = createLines(2);
});
afterEach(() => {
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
});

async function head(key: string): Promise<Release> {
  const release = await lines.enter(key, 0);
  if (release === undefined) throw new Error(`the line ${key} is busy`);
  return release;
}

describe("a line", () => {
  it("lets one in at a time, in the order in which they came", async () => {
    const order: string[] = [];
    const first = await head("a");
    const waiting = ["second", "third"].map(async (name) => {
      const release = await lines.enter("a", 1_000);
      order.push(name);
      release?.();
    });
    await Promise.resolve();
    expect(order).toEqual([]);
    first();
    await Promise.all(waiting);
    expect(order).toEqual(["second", "third"]);
    expect(lines.isBusy("a")).toBe(false);
  });

  it("is one for each key", async () => {
    const release = await head("a");
    (await head("b"))();
    expect([lines.isBusy("a"), lines.isBusy("b")]).toEqual([true, false]);
    release();
  });

  it("lets go once, however often it is told to", async () => {
    const first = await head("a");
    const second = lines.enter("a", 1_000);
    const third = lines.enter("a", 1_000);
    first();
    first();
    const release = await second;
    let isThirdIn = false;
    void third.then(() => {
      isThirdIn = true;
    });
    await vi.advanceTimersByTimeAsync(0);
    expect(isThirdIn).toBe(false);
    release?.();
    (await third)?.();
    expect(lines.isBusy("a")).toBe(false);
  });

  it("does not keep those whose patience ends, and forgets them", async () => {
    const first = await head("a");
    const impatient = lines.enter("a", 100);
    const patient = lines.enter("a", 1_000);
    await vi.advanceTimersByTimeAsync(100);
    await expect(impatient).resolves.toBeUndefined();
    first();
    const release = await patient;
    expect(release).toBeDefined();
    release?.();
    expect(lines.isBusy("a")).toBe(false);
  });

  it("turns away those without patience, and those for whom it is too long", async () => {
    const release = await head("a");
    await expect(lines.enter("a", 0)).resolves.toBeUndefined();
    const waiting = [lines.enter("a", 1_000), lines.enter("a", 1_000)];
    await expect(lines.enter("a", 1_000)).resolves.toBeUndefined();
    release();
    for (const place of waiting) (await place)?.();
  });
});
