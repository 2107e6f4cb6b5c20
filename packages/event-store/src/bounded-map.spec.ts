import { expect, it } from "vitest";

import { BoundedMap } from "./bounded-map.ts";

it("forgets the entry that was unused for longest", () => {
  const map = new BoundedMap<string, number>(2);
  map.set("a", 1);
  map.set("b", 2);
  expect(map.get("a")).toBe(1);
  map.set("c", 3);
  expect([map.get("a"), map.get("b"), map.get("c"), map.size]).toEqual([1, undefined, 3, 2]);
  map.set("a", 4);
  map.set("d", 5);
  expect([map.get("a"), map.get("c"), map.get("d")]).toEqual([4, undefined, 5]);
  map.delete("a");
  expect([map.get("a"), map.size]).toEqual([undefined, 1]);
});
