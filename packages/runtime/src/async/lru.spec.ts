import { describe, expect, it } from "vitest";

import { createLru } from "./lru.ts";

describe("createLru", () => {
  it("evicts the least recently used", () => {
    const lru = createLru<string, number>(2);
    lru.set("a", 1);
    lru.set("b", 2);
    lru.get("a");
    lru.set("c", 3);
    expect([lru.get("a"), lru.get("b"), lru.get("c"), lru.size]).toEqual([1, undefined, 3, 2]);
    lru.set("a", 4);
    lru.set("d", 5);
    expect([lru.get("a"), lru.get("c"), lru.get("d")]).toEqual([4, undefined, 5]);
  });

  it("counts a key once however often it is set", () => {
    const lru = createLru<string, number>(2);
    for (const value of [1, 2, 3]) lru.set("a", value);
    lru.set("b", 4);
    expect([lru.size, lru.get("a"), lru.get("b")]).toEqual([2, 3, 4]);
  });

  it("counts entries by weight, and stores none above the total", () => {
    const evicted: string[] = [];
    const lru = createLru<string, number>(
      5,
      (_, key) => void evicted.push(key),
      (weight) => weight,
    );
    for (const [key, weight] of [
      ["a", 1],
      ["b", 1],
      ["c", 4],
    ] as const)
      lru.set(key, weight);
    expect([lru.get("a"), lru.get("b"), lru.get("c")]).toEqual([undefined, 1, 4]);
    expect(evicted).toEqual(["a"]);
    lru.set("d", 6);
    expect([lru.get("b"), lru.get("c"), lru.get("d")]).toEqual([1, 4, undefined]);
  });

  it("deletes on demand, one or all", () => {
    const lru = createLru<string, number>(2);
    lru.set("a", 1);
    lru.set("b", 2);
    lru.delete("a");
    expect([lru.get("a"), lru.get("b"), lru.size]).toEqual([undefined, 2, 1]);
    lru.clear();
    expect([lru.get("b"), lru.size]).toEqual([undefined, 0]);
  });

  it("does not count a membership test as use", () => {
    const lru = createLru<string, number>(2);
    lru.set("a", 1);
    lru.set("b", 2);
    expect([lru.has("a"), lru.has("c")]).toEqual([true, false]);
    lru.set("c", 3);
    expect(lru.has("a")).toBe(false);
  });

  it("allocates nothing for absent entries", () => {
    const made = Array.from({ length: 100 }, () => createLru<string, number>(1_000_000_000));
    expect(made.map(({ size }) => size)).toEqual(made.map(() => 0));
  });
});
