import type { EventStore } from "@hostledger/store";
import { expect, onTestFinished, test, vi } from "vitest";

import type { AnyProjection } from "../projection.ts";
import { InMemoryEventStore } from "../testing/in-memory-event-store.ts";
import {
  openPlans,
  planProjector,
  startProjector,
  temporaryLocation,
  type PlanSchema,
} from "../testing/harness.fixture.ts";
import {
  listed,
  offerList,
  planList,
  planTables,
  priced,
  store,
  type PlanEvent,
} from "../testing/plans.fixture.ts";
import type { ReadModelDatabase } from "../read-model-database.ts";
import { table } from "../tables.ts";
import type { Projector } from "./projector.ts";

const waitMs = 10_000;

/** Returns a store on which reads from the start, which only builds make, wait for the test. */
function slowToBuild(eventStore: InMemoryEventStore): { slow: EventStore; letBuild: () => void } {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const letBuild = (): void => {
    resolve(undefined);
  };
  const slow: EventStore = {
    append: (...append) => eventStore.append(...append),
    read: (...read) => eventStore.read(...read),
    lastPosition: () => eventStore.lastPosition(),
    close: () => eventStore.close(),
    async *subscribe(options) {
      // A run that ended before must not wait for an abort that has already happened.
      if (options.signal?.aborted === true) letBuild();
      options.signal?.addEventListener("abort", letBuild);
      // A test may end before the subscription starts.
      if (options.signal?.aborted === true) letBuild();
      if (options.from === "start") await promise;
      yield* eventStore.subscribe(options);
    },
  };
  return { slow, letBuild };
}

async function beginProjector(
  eventStore: EventStore,
  database: ReadModelDatabase<PlanSchema>,
  projections: readonly AnyProjection<PlanEvent>[],
): Promise<Projector> {
  const projector = await planProjector(eventStore, database, projections);
  const ended = new AbortController();
  const running = projector.run(ended.signal);
  onTestFinished(async () => {
    ended.abort();
    await running;
  });
  return projector;
}

// As in services: on PostgreSQL only prepared queries report tables that are not built.
const isPrepared = process.env.TEST_DATABASE === "postgres";

const titles = (database: ReadModelDatabase<PlanSchema>) =>
  isPrepared
    ? database.prepared((db) => db.selectFrom("plans").select("title").orderBy("id")).all({})
    : database.queries.selectFrom("plans").select("title").orderBy("id").execute();

test("tables of another version serve, marked as stale, until the new ones take their place", async () => {
  const eventStore = new InMemoryEventStore();
  const database = await openPlans(await temporaryLocation());
  await store(eventStore, listed(1, "Small"), priced(1, "100"));
  await (await startProjector(eventStore, database, [planList, offerList])).stop();

  const { slow, letBuild } = slowToBuild(eventStore);
  const projector = await beginProjector(slow, database, [{ ...planList, version: 2 }, offerList]);
  const { position } = await store(eventStore, listed(2, "Large"), priced(2, "200"));
  // A projection with tables goes on meanwhile.
  await expect(projector.after(position, { names: ["offer_list"], limitMs: waitMs })).resolves.toBe(true);
  expect(projector.health()).toEqual([
    { name: "plan_list", state: "rebuilding", stale: true },
    { name: "offer_list", state: "live", position },
  ]);
  expect(await titles(database)).toEqual([{ title: "Small" }]);
  await expect(projector.after(position, { names: ["plan_list"], limitMs: waitMs })).resolves.toBe(false);

  letBuild();
  await projector.ready();
  expect(await titles(database)).toEqual([{ title: "Small" }, { title: "Large" }]);
  expect(projector.health()).toEqual([
    { name: "plan_list", state: "live", position },
    { name: "offer_list", state: "live", position },
  ]);
});

test("asks the store for its end and the last known event once, for any number of tables", async () => {
  const eventStore = new InMemoryEventStore();
  const database = await openPlans(await temporaryLocation());
  await store(eventStore, listed(1), priced(1, "100"));
  await (await startProjector(eventStore, database, [planList, offerList])).stop();

  const read = vi.spyOn(eventStore, "read");
  const lastPosition = vi.spyOn(eventStore, "lastPosition");
  await (await startProjector(eventStore, database, [planList, offerList])).stop();
  expect(read).toHaveBeenCalledTimes(1);
  expect(lastPosition).toHaveBeenCalledTimes(1);
});

test("an unbuilt read model is reported as such", async () => {
  const eventStore = new InMemoryEventStore();
  const database = await openPlans(await temporaryLocation());
  await store(eventStore, listed(1));
  const { slow, letBuild } = slowToBuild(eventStore);
  const projector = await beginProjector(slow, database, [planList]);
  expect(projector.health()).toEqual([
    { name: "plan_list", state: "rebuilding", stale: true, unbuilt: true },
  ]);
  await expect(titles(database)).rejects.toMatchObject({ name: "ReadModelNotBuiltError" });
  letBuild();
  await projector.ready();
  expect(await titles(database)).toHaveLength(1);
});

test("a column of the new tables only is reported as not built yet", async () => {
  const eventStore = new InMemoryEventStore();
  const database = await openPlans(await temporaryLocation());
  await store(eventStore, listed(1));
  await (await startProjector(eventStore, database, [planList])).stop();
  const { slow } = slowToBuild(eventStore);
  const columns = { ...planTables.plans.columns, label: "text?" } as const;
  const labelled = table({ columns, primaryKey: ["id"] });
  await beginProjector(slow, database, [{ ...planList, version: 2, tables: { plans: labelled } }]);
  const label = database.queries.selectFrom("plans").select("label" as never);
  const read = isPrepared ? database.prepared(() => label).all({}) : label.execute();
  await expect(read).rejects.toMatchObject({ name: "ReadModelNotBuiltError" });
});

test("tables of another log do not serve", async () => {
  const database = await openPlans(await temporaryLocation());
  const lost = new InMemoryEventStore();
  await store(lost, listed(1), listed(2), listed(3));
  await (await startProjector(lost, database, [planList])).stop();
  const restored = new InMemoryEventStore();
  await store(restored, listed(9));
  const { slow } = slowToBuild(restored);
  const projector = await beginProjector(slow, database, [planList]);
  expect(projector.health()).toMatchObject([{ unbuilt: true }]);
  await expect(titles(database)).rejects.toMatchObject({ name: "ReadModelNotBuiltError" });
});

test("one that is late with recorded events is stale until it has them", async () => {
  const eventStore = new InMemoryEventStore();
  const database = await openPlans(await temporaryLocation());
  await store(eventStore, listed(1));
  const { projector } = await startProjector(eventStore, database, [planList]);
  const next = ((await eventStore.lastPosition()) ?? -1n) + 1n;
  await expect(projector.after(next, { names: ["plan_list"], limitMs: 1 })).resolves.toBe(false);
  expect(projector.health()).toMatchObject([{ state: "live", stale: true }]);
  expect(projector.stale()).toEqual(["plan_list"]);
  await store(eventStore, listed(2));
  await expect(projector.after(next, { limitMs: waitMs })).resolves.toBe(true);
  expect(projector.health()).toEqual([{ name: "plan_list", state: "live", position: next }]);
});
