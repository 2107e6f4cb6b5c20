import { expect, it } from "vitest";

import { RowBatch, type RowChange } from "./postgres-row-writer.adapter.ts";

const change = (kind: RowChange["kind"], position: bigint, values = {}): RowChange => ({
  kind,
  key: [1],
  values,
  position,
});

/** Returns the batch after changes of a row; undefined if the last change does not fit. */
function batchOf(...changes: readonly RowChange[]): readonly RowChange[] | undefined {
  const batch = new RowBatch();
  const fits = changes.map((each) => batch.add(each)).at(-1);
  return fits === true ? batch.all() : undefined;
}

it("for a row that comes and goes, checks that it did not exist before", () => {
  expect(batchOf(change("insert", 3n, { id: 1 }), change("delete", 7n))).toEqual([
    { ...change("passing", 7n), cameAt: 3n },
  ]);
});

it.each([
  ["changes nothing that is gone", change("update", 9n, { title: "late" })],
  ["deletes nothing twice", change("delete", 9n)],
])("%s", (_what, later) => {
  expect(batchOf(change("insert", 3n), change("delete", 7n), later)).toEqual([
    { ...change("passing", 7n), cameAt: 3n },
  ]);
});

it.each(["insert", "upsert"] as const)("writes earlier rows before an %s of the same row", (kind) => {
  expect(batchOf(change("insert", 3n), change("delete", 7n), change(kind, 9n, { id: 1 }))).toBeUndefined();
});
