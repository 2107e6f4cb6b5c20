import { expect, test } from "vitest";

import type { Projection } from "../projection.ts";
import {
  listed,
  offerList,
  planList,
  praised,
  priced,
  retired,
  type PlanEvent,
  type planTables,
} from "./plans.fixture.ts";
import { projectionSpec } from "./projection-spec.ts";

const small = { id: 1, title: "Small", price_cents: null, retired: 0, stream: "plan-1" };

test("a listed plan has a row", () => {
  projectionSpec(planList, { stream: "plan-1" })
    .given()
    .when(listed(1, "Small"))
    .then({ plans: [small] });
});

test("later events change the row", () => {
  projectionSpec(planList, { stream: "plan-1" })
    .given(listed(1, "Small"), priced(1, "499"), praised(1))
    .when(retired(1))
    .then({ plans: [{ ...small, price_cents: 499, retired: 1 }] });
});

test("rows are replaced and removed, and removing them again is harmless", () => {
  const later = "2026-02-01T00:00:00.000000Z";
  projectionSpec(offerList)
    .given(
      priced(1, "100"),
      priced(2, "200"),
      { event: priced(2, "200"), time: later },
      retired(1),
      priced(1, "100"),
    )
    .when(retired(1))
    .then({ offers: [{ plan_id: 2, price_cents: "200", since: later }] });
});

test("a handler sees who caused the event", () => {
  const actors: Projection<PlanEvent, typeof planTables> = {
    ...planList,
    handlers: {
      ...planList.handlers,
      PlanPriced: (db, { event, metadata }) => {
        db.update("plans", { id: event.data.planId }, { title: metadata.actor });
      },
    },
  };
  projectionSpec(actors, { stream: "plan-1" })
    .given(listed(1))
    .when({ event: priced(1, "100"), metadata: { actor: "account:7" } })
    .then({ plans: [{ ...small, title: "account:7" }] });
});

test("wrong expectations fail", () => {
  const spec = projectionSpec(planList, { stream: "plan-1" }).when(listed(1, "Small"));
  expect(() => {
    spec.then({ plans: [] });
  }).toThrow("the rows of plans");
});

test("a projection whose result depends on when it runs fails", () => {
  let calls = 0;
  const restless: Projection<PlanEvent, typeof planTables> = {
    ...planList,
    handlers: {
      ...planList.handlers,
      PlanListed: (db, { stream }) => {
        db.upsert("plans", {
          id: 1,
          title: `Call ${String(++calls)}`,
          price_cents: null,
          retired: false,
          stream,
        });
      },
    },
  };
  expect(() => {
    projectionSpec(restless).when(listed(1)).then({});
  }).toThrow("the last event handled twice changes nothing");
});

test("two events with one key are a bug", () => {
  expect(() => {
    projectionSpec(planList).given(listed(1)).when(listed(1)).then({});
  }).toThrow("table plans already has a row with the key 1");
});
