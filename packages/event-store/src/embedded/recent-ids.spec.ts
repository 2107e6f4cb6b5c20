import { expect, it } from "vitest";

import { RecentIds } from "./recent-ids.ts";

it("finds the newest place of an id, before and after the index is built", () => {
  const ids = new RecentIds();
  ids.remember("a", 1, 0, 10);
  ids.remember("a", 1, 1, 11);
  expect(ids.find("a")).toEqual({ streamId: 1, revision: 1, position: 11 });
  ids.remember("a", 2, 0, 12);
  expect(ids.find("a")).toEqual({ streamId: 2, revision: 0, position: 12 });
  expect(ids.find("b")).toBeUndefined();
});

it.each([false, true])("forgets all but the last 50,000 (index built before: %s)", (builtBefore) => {
  const ids = new RecentIds();
  if (builtBefore) ids.find("none");
  ids.remember("twice", 1, 0, 1);
  for (let number = 0; number < 49_999; number += 1) ids.remember(`id-${String(number)}`, 1, number, number);
  expect(ids.find("twice")).toBeDefined();
  ids.remember("twice", 1, 7, 7);
  ids.remember("newest", 1, 8, 8);
  expect(ids.find("twice")).toMatchObject({ position: 7 });
  expect([ids.find("id-0"), ids.find("id-1")?.position, ids.find("newest")?.position]).toEqual([
    undefined,
    1,
    8,
  ]);
});
