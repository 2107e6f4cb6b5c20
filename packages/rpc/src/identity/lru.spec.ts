import { describe, expect, it } from "vitest";

import { Lru } from "./lru.ts";

describe("Lru", () => {
  it("forgets what was unused for longest", () => {
    const lru = new Lru<string, number>(2);
    lru.set("a", 1);
    lru.set("b", 2);
    lru.get("a");
    lru.set("c", 3);
    expect([lru.get("a"), lru.get("b"), lru.get("c")]).toEqual([1, undefined, 3]);
  });

  it("counts a key once however often it is set", () => {
    const lru = new Lru<string, number>(2);
    for (const value of [1, 2, 3]) lru.set("a", value);
    lru.set("b", 4);
    expect([lru.size, lru.get("a"), lru.get("b")]).toEqual([2, 3, 4]);
  });

  it("forgets on demand", () => {
    const lru = new Lru<string, number>(2);
    lru.set("a", 1);
    lru.delete("a");
    expect(lru.get("a")).toBeUndefined();
  });
});
