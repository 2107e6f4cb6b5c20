import { describe, expect, it } from "vitest";

import { deciderSpec } from "../testing/decider-spec.ts";
import { comparison, nextComparisonAt, type FollowDifferences } from "./comparison.decider.ts";
import type { CriticalDifferencesChanged } from "./comparison.events.ts";

const at = "2026-11-23T10:05:00.000000Z";
const result = {
  part: "domains",
  critical: 1,
  major: 2,
  minor: 0,
  unanswered: 0,
  beganAt: "2026-11-23T10:00:00.000000Z",
  listed: [],
} as const;
const compared = { type: "BooksCompared", data: { ...result, comparedAt: at } } as const;
const record = { type: "RecordComparison", data: { ...result, at } } as const;

it("a completed comparison is one event", () => {
  deciderSpec(comparison).given().when(record).then(compared);
  deciderSpec(comparison).given(compared).when(record).thenNothing();
});

it("of two simultaneous comparisons, the first to end is an event", () => {
  const late = (beganAt: string, ended: string) =>
    ({ type: "RecordComparison", data: { ...result, beganAt, at: ended } }) as const;
  const other = late("2026-11-23T10:04:00.000000Z", "2026-11-23T10:09:00.000000Z");
  deciderSpec(comparison).given(compared).when(other).thenNothing();
  const next = late("2026-11-23T10:06:00.000000Z", "2026-11-23T10:09:00.000000Z");
  deciderSpec(comparison)
    .given(compared)
    .when(next)
    .then({
      type: "BooksCompared",
      data: { ...result, beganAt: next.data.beganAt, comparedAt: next.data.at },
    });
  // A wrong clock recorded the last one.
  const ahead = { ...compared, data: { ...compared.data, comparedAt: "2027-01-01T00:00:00.000000Z" } };
  deciderSpec(comparison)
    .given(ahead)
    .when(next)
    .then({
      type: "BooksCompared",
      data: { ...result, beganAt: next.data.beganAt, comparedAt: next.data.at },
    });
});

describe("a critical difference", () => {
  const unpaid = { kind: "domain-unpaid", resource: "a.com" };
  const missing = { kind: "domain-missing", resource: "b.com" };
  const [first, second] = ["drift-domain-unpaid-a.com", "drift-2-domain-unpaid-a.com"];
  const follow = (data: Pick<FollowDifferences["data"], "found" | "mended">) =>
    ({ type: "FollowDifferences", data: { part: "domains", ...data, at } }) as const;
  const changed = (data: Pick<CriticalDifferencesChanged["data"], "found" | "mended">) =>
    ({ type: "CriticalDifferencesChanged", data: { part: "domains", ...data, changedAt: at } }) as const;
  const appeared = changed({ found: [{ ...unpaid, cause: first }], mended: [] });
  const gone = changed({ found: [], mended: [{ ...unpaid, cause: first }] });

  it("is reported once, however often a comparison finds it", () => {
    const found = follow({ found: [unpaid], mended: [] });
    deciderSpec(comparison).given().when(found).then(appeared);
    deciderSpec(comparison).given(appeared).when(found).thenNothing();
    deciderSpec(comparison).given(appeared, compared).when(found).thenNothing();
  });

  it("is resolved once, and only if it was found", () => {
    const mended = follow({ found: [], mended: [unpaid, missing] });
    deciderSpec(comparison).given(appeared).when(mended).then(gone);
    deciderSpec(comparison).given(appeared, gone).when(mended).thenNothing();
  });

  it("is reported again after it was resolved, and gets a ticket of its own", () => {
    deciderSpec(comparison)
      .given(appeared, gone)
      .when(follow({ found: [unpaid, missing], mended: [] }))
      .then(
        changed({
          found: [
            { ...unpaid, cause: second },
            { ...missing, cause: "drift-domain-missing-b.com" },
          ],
          mended: [],
        }),
      );
  });
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
