import { expectTypeOf, test } from "vitest";

import type { Handlers } from "./projection.ts";
import type { NewRow, Row, RowChanges, RowKey, Schema } from "./tables.ts";
import type { planTables } from "./testing/plans.fixture.ts";
import { planList, type PlanEvent } from "./testing/plans.fixture.ts";

type Plans = (typeof planTables)["plans"];

test("rows have the types of their columns", () => {
  expectTypeOf<NewRow<Plans>>().toEqualTypeOf<{
    readonly id: number | bigint;
    readonly title: string;
    readonly price_cents: number | bigint | null;
    readonly retired: boolean;
    readonly stream: string;
  }>();
  expectTypeOf<Row<Plans>>().toEqualTypeOf<{
    readonly id: number;
    readonly title: string;
    readonly price_cents: number | null;
    readonly retired: number;
    readonly stream: string;
  }>();
  expectTypeOf<RowKey<Plans>>().toEqualTypeOf<{ readonly id: number | bigint }>();
  expectTypeOf<keyof RowChanges<Plans>>().toEqualTypeOf<"title" | "price_cents" | "retired" | "stream">();
  expectTypeOf<Schema<typeof planTables>["plans"]["log_position"]>().toEqualTypeOf<number>();
});

test("an event without a handler and a wrong row do not compile", () => {
  const { PlanListed: _forgotten, ...rest } = planList.handlers;
  // @ts-expect-error PlanListed is missing.
  const incomplete: Handlers<PlanEvent, typeof planTables> = rest;
  const wrong: Handlers<PlanEvent, typeof planTables> = {
    ...planList.handlers,
    PlanRetired: (db, { event }) => {
      // @ts-expect-error There is no such table.
      db.delete("plan", { id: event.data.planId });
      // @ts-expect-error A text is no id.
      db.delete("plans", { id: "1" });
      // @ts-expect-error Columns are forgotten.
      db.insert("plans", { id: 1, title: "" });
      // @ts-expect-error The key never changes.
      db.update("plans", { id: 1 }, { id: 2 });
      // @ts-expect-error The event is narrowed: a retirement has no title.
      event.data.title satisfies string;
    },
  };
  expectTypeOf(incomplete).toEqualTypeOf(wrong);
});
