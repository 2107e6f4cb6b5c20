import { expect, it } from "vitest";

import { counted } from "./counted.ts";

it.each([
  [0, "0 accounts"],
  [1, "1 account"],
  [2, "2 accounts"],
  [1_234_567, "1,234,567 accounts"],
])("counts %d", (count, text) => {
  expect(counted(count, "account")).toBe(text);
});

it("adds no s to a plural that is no noun", () => {
  expect([1, 2].map((count) => counted(count, "event is", "events are"))).toEqual([
    "1 event is",
    "2 events are",
  ]);
});
