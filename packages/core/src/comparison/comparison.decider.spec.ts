import { expect, it } from "vitest";

import { deciderSpec } from "../testing/decider-spec.ts";
import { comparison, nextComparisonAt } from "./comparison.decider.ts";

const at = "2026-11-23T10:05:00.000000Z";
const result = {
  part: "domains",
  ...{ critical: 1, major: 2, minor: 0, unanswered: 0 },
  beganAt: "2026-11-23T10:00:00.000000Z",
} as const;
const compared = { type: "BooksCompared", data: { ...result, comparedAt: at } } as const;
const record = { type: "RecordComparison", data: { ...result, at } } as const;

it("is a fact once", () => {
  deciderSpec(comparison).given().when(record).then(compared);
  deciderSpec(comparison).given(compared).when(record).thenNothing();
});

it.each([
  ["at once where there was none", undefined, at, at],
  ["a day after the last", compared.data, "2026-11-23T20:00:00.000000Z", "2026-11-24T10:05:00.000000Z"],
  [
    "at once where it was missed",
    compared.data,
    "2026-12-23T10:00:00.000000Z",
    "2026-12-23T10:00:00.000000Z",
  ],
  [
    "at once where the last one is ahead",
    compared.data,
    "2026-11-20T10:00:00.000000Z",
    "2026-11-20T10:00:00.000000Z",
  ],
])("is due %s", (_, last, now, due) => {
  expect(nextComparisonAt(last, 86_400_000, now)).toBe(due);
});
