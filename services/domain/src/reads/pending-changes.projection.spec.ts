import { projectionSpec, type ExpectedRows } from "@hostledger/read/testing";
import { describe, expect, it, test } from "vitest";

import { examples, stored } from "./domain-subscription.fixture.ts";
import type { changeTables } from "./domain.tables.ts";
import { pendingChanges } from "./pending-changes.projection.ts";

type Rows = ExpectedRows<typeof changeTables>;

const { DomainChangeStarted, DomainChangeCompleted, DomainChangeFailed, ...others } = examples;
const row = {
  domain_id: 3,
  domain_name: "example.com",
  change_id: "change-1",
  started_at: "2026-04-01T10:00:00.000000Z",
};
const pending: Rows = { pending_changes: [row] };

describe("pending changes", () => {
  test("DomainChangeStarted", () => {
    projectionSpec(pendingChanges).when(stored(DomainChangeStarted)).then(pending);
  });

  test.each([DomainChangeCompleted, DomainChangeFailed])("$type", (event) => {
    projectionSpec(pendingChanges)
      .given(stored(DomainChangeStarted))
      .when(stored(event))
      .then({ pending_changes: [] });
  });

  test.each(Object.values(others))("$type", (event) => {
    projectionSpec(pendingChanges).given(stored(DomainChangeStarted)).when(stored(event)).then(pending);
  });

  it("begin anew after their end", () => {
    const again = { ...DomainChangeStarted, data: { ...DomainChangeStarted.data, changeId: "change-2" } };
    projectionSpec(pendingChanges)
      .given(stored(DomainChangeStarted), stored(DomainChangeFailed))
      .when(stored(again))
      .then({ pending_changes: [{ ...row, change_id: "change-2" }] });
  });

  it("handle what the spec says they handle, and ignore the rest by name", () => {
    const handled = Object.entries(pendingChanges.handlers).filter(([, handler]) => handler !== "ignored");
    expect(handled.map(([type]) => type).sort()).toEqual([
      "DomainChangeCompleted",
      "DomainChangeFailed",
      "DomainChangeStarted",
    ]);
  });
});
