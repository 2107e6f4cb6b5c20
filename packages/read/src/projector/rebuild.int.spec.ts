import { EventStoreUnavailableError } from "@hostledger/store";
import { yieldToOthers } from "@hostledger/runtime/async";
import fc from "fast-check";
import { CompiledQuery } from "kysely";
import { describe, expect, test, vi } from "vitest";

import type { Projection } from "../projection.ts";
import { InMemoryEventStore } from "../testing/in-memory-event-store.ts";
import {
  listed,
  offerList,
  planList,
  planTables,
  praised,
  priced,
  retired,
  store,
  type PlanEvent,
  metadata,
} from "../testing/plans.fixture.ts";
import {
  engineWords,
  openPlans,
  startProjector,
  tableNames,
  temporaryLocation,
} from "../testing/harness.fixture.ts";
import { table } from "../tables.ts";
import type { ParameterOf } from "../prepared-query.ts";

const waitMs = 10_000;

const renamedTables = {
  plans: table({
    columns: { ...planTables.plans.columns, label: "text" },
    primaryKey: ["id"],
    indexes: [{ columns: ["label"] }],
  }),
};

/** Version 2 has one more column. */
const planListTwo: Projection<PlanEvent, typeof renamedTables> = {
  name: "plan_list",
  version: 2,
  categories: ["plan"],
  tables: renamedTables,
  handlers: {
    PlanListed: (db, { event, stream }) => {
      const { planId: id, title } = event.data;
      db.insert("plans", { id, title, label: `${title}!`, price_cents: null, retired: false, stream });
    },
    PlanPriced: "ignored",
    PlanRetired: "ignored",
    PlanPraised: "ignored",
  },
};

test("rebuilt tables equal the incremental ones and continue from there", async () => {
  const eventStore = new InMemoryEventStore();
  const database = await openPlans(await temporaryLocation());
  const { projector } = await startProjector(eventStore, database, [planList, offerList]);
  const { position } = await store(eventStore, listed(1), priced(1, "100"), praised(1), listed(2));
  await projector.after(position, { limitMs: waitMs });
  const plans = database.prepared((db, parameter: ParameterOf<{ id: number }>) =>
    db.selectFrom("plans").selectAll().where("id", "=", parameter("id")),
  );
  const before = await plans.first({ id: 1 });
  for (let time = 0; time < 2; time++) {
    await expect(projector.rebuild()).resolves.toEqual([
      { name: "plan_list", events: 4, rows: 2, equal: true },
      { name: "offer_list", events: 4, rows: 1, equal: true },
    ]);
    expect(await plans.first({ id: 1 })).toEqual(before);
  }
  const later = await store(eventStore, priced(2, "200"));
  await expect(projector.after(later.position, { limitMs: waitMs })).resolves.toBe(true);
  expect((await plans.first({ id: 2 }))?.price_cents).toBe(200);
  expect(projector.health().map(({ state }) => state)).toEqual(["live", "live"]);
});

test("one projection can be rebuilt, and only one that exists", async () => {
  const eventStore = new InMemoryEventStore();
  const { projector } = await startProjector(eventStore, await openPlans(await temporaryLocation()), [
    planList,
    offerList,
  ]);
  const reports = await projector.rebuild("offer_list");
  expect(reports.map(({ name }) => name)).toEqual(["offer_list"]);
  await expect(projector.rebuild("nothing")).rejects.toThrow("there is no projection nothing");
});

test("a row that does not follow from the events is found and removed", async () => {
  const eventStore = new InMemoryEventStore();
  const database = await openPlans(await temporaryLocation());
  await store(eventStore, listed(1), listed(2));
  const { projector } = await startProjector(eventStore, database, [planList]);
  const { connection } = database.storage;
  await connection.execute("update plans set title = 'Tampered' where id = 2");
  await expect(projector.rebuild()).resolves.toMatchObject([{ equal: false, rows: 2 }]);
  expect(await database.queries.selectFrom("plans").select("title").execute()).not.toContainEqual({
    title: "Tampered",
  });
  await connection.execute("delete from plans where id = 1");
  await expect(projector.rebuild()).resolves.toMatchObject([{ equal: false, rows: 2 }]);
  await connection.execute("insert into plans values (7, 'Smuggled', null, 0, 'plan-7', 1)");
  await expect(projector.rebuild()).resolves.toMatchObject([{ equal: false, rows: 2 }]);
  await expect(projector.rebuild()).resolves.toMatchObject([{ equal: true, rows: 2 }]);
});

test("a rebuild does not compare the columns that others write as well", async () => {
  const eventStore = new InMemoryEventStore();
  const database = await openPlans(await temporaryLocation());
  await store(eventStore, listed(1));
  const { plans } = planList.tables;
  const shared = { ...planList, tables: { plans: { ...plans, sharedColumns: ["title"] } } };
  const { projector } = await startProjector(eventStore, database, [shared]);
  const { connection } = database.storage;
  await connection.execute("update plans set title = 'Written by others'");
  await expect(projector.rebuild()).resolves.toMatchObject([{ equal: true }]);
  await connection.execute("update plans set stream = 'elsewhere'");
  await expect(projector.rebuild()).resolves.toMatchObject([{ equal: false }]);
});

test("events flow while it rebuilds, and none is lost or counted twice", async () => {
  const eventStore = new InMemoryEventStore();
  const database = await openPlans(await temporaryLocation());
  for (let id = 1; id <= 500; id++) await store(eventStore, listed(id));
  const { projector } = await startProjector(eventStore, database, [planList, offerList], { batchSize: 7 });

  const rebuilt = new AbortController();
  let appended = 500;
  const writer = (async (): Promise<void> => {
    while (!rebuilt.signal.aborted) {
      const { position } = await store(eventStore, listed(++appended), priced(appended % 500, "100"));
      // Clients read their own writes at all times.
      await expect(projector.after(position, { limitMs: waitMs })).resolves.toBe(true);
      await yieldToOthers();
    }
  })();
  for (let time = 0; time < 3; time++) {
    await expect(projector.rebuild()).resolves.toMatchObject([{ equal: true }, { equal: true }]);
  }
  rebuilt.abort();
  await writer;
  const { n } = await database.queries
    .selectFrom("plans")
    .select(({ fn }) => fn.countAll<number>().as("n"))
    .executeTakeFirstOrThrow();
  expect(n).toBe(appended);
  expect(appended).toBeGreaterThan(500);
});

test("a rebuild equals the incremental result, for any events in any batches", async () => {
  const planId = fc.integer({ min: 1, max: 4 });
  const change = fc.oneof(
    fc.tuple(planId, fc.constantFrom("100", "200", "300")).map(([id, cents]) => priced(id, cents)),
    planId.map(retired),
    planId.map(praised),
  );
  await fc.assert(
    fc.asyncProperty(
      fc.array(change, { maxLength: 40 }),
      fc.integer({ min: 1, max: 9 }),
      async (changes, batchSize) => {
        const eventStore = new InMemoryEventStore();
        const database = await openPlans(await temporaryLocation());
        const { projector, stop } = await startProjector(eventStore, database, [planList, offerList], {
          batchSize,
        });
        const { position } = await store(eventStore, listed(1), listed(2), listed(3), ...changes);
        await projector.after(position, { limitMs: waitMs });
        await expect(projector.rebuild()).resolves.toMatchObject([{ equal: true }, { equal: true }]);
        await stop();
      },
    ),
    { numRuns: 25 },
  );
});

test("a large read model gets its indexes in the background, while queries continue", async () => {
  const eventStore = new InMemoryEventStore();
  const database = await openPlans(await temporaryLocation());
  const events = Array.from({ length: 60_000 }, (_, index) => ({
    id: crypto.randomUUID(),
    type: "PlanListed.v1",
    data: JSON.stringify(listed(index + 1, "Popular title").data),
    metadata,
  }));
  await eventStore.append("plan-1", "any", events);
  const { projector } = await startProjector(eventStore, database, [planList]);
  await expect(projector.rebuild()).resolves.toMatchObject([{ equal: true, rows: 60_000, events: 60_000 }]);
  const indexes = await engineWords.indexesOf("plans").execute(database.queries as never);
  expect(indexes.rows).toHaveLength(2);

  // A unique index on the same data fails, so the reason is reported and the old tables stay.
  const unique = table({ ...planTables.plans, indexes: [{ columns: ["title"], unique: true }] });
  const second = await openPlans(await temporaryLocation());
  const impossible = await startProjector(eventStore, second, [{ ...planList, tables: { plans: unique } }]);
  expect(impossible.projector.health()).toMatchObject([{ state: "parked" }]);
  expect(impossible.projector.health()[0]?.reason).toContain(
    `a unique index does not hold: ${engineWords.notUnique}`,
  );
});

describe("a version bump", () => {
  test("rebuilds at the next start, also for queries that were prepared before", async () => {
    const eventStore = new InMemoryEventStore();
    const database = await openPlans(await temporaryLocation());
    const all = database.prepared((db, _parameter: ParameterOf<Record<string, never>>) =>
      db.selectFrom("plans").selectAll(),
    );
    await store(eventStore, listed(1, "Small"));
    await (await startProjector(eventStore, database, [planList])).stop();
    expect(await all.all({})).toHaveLength(1);
    const { projector } = await startProjector(eventStore, database, [planListTwo]);
    expect(await all.all({})).toEqual([
      {
        id: 1,
        title: "Small",
        price_cents: null,
        retired: 0,
        stream: "plan-1",
        label: "Small!",
        log_position: 0,
      },
    ]);
    await expect(projector.status()).resolves.toMatchObject([{ version: 2, state: "live", rows: 1 }]);
  });

  test("includes changes of the tables' definition alone", async () => {
    const eventStore = new InMemoryEventStore();
    const database = await openPlans(await temporaryLocation());
    await store(eventStore, listed(1));
    await (await startProjector(eventStore, database, [planList])).stop();
    await startProjector(eventStore, database, [{ ...planListTwo, version: 1 }]);
    const statement = CompiledQuery.raw("select label from plans");
    await expect(database.storage.connection.rows(statement)).resolves.toEqual([
      { label: expect.any(String) },
    ]);
  });

  test("backwards is refused", async () => {
    const eventStore = new InMemoryEventStore();
    const location = await temporaryLocation();
    const database = await openPlans(location);
    await (await startProjector(eventStore, database, [planListTwo])).stop();
    await expect(startProjector(eventStore, database, [planList])).rejects.toThrow(
      `${database.storage.place} was written by a newer version of Hostledger: its projection plan_list has version 2, this one 1.`,
    );
  });
});

test("tables ahead of the log belong to another log and are rebuilt", async () => {
  const database = await openPlans(await temporaryLocation());
  const lost = new InMemoryEventStore();
  await store(lost, listed(1), listed(2), listed(3));
  await (await startProjector(lost, database, [planList])).stop();
  const restored = new InMemoryEventStore();
  await store(restored, listed(9));
  await startProjector(restored, database, [planList]);
  expect(await database.queries.selectFrom("plans").select("id").execute()).toEqual([{ id: 9 }]);
});

describe("of a log without events", () => {
  const idsOf = async ({ queries }: Awaited<ReturnType<typeof openPlans>>): Promise<readonly number[]> =>
    (await queries.selectFrom("plans").select("id").orderBy("id").execute()).map(({ id }) => id);

  test("tables exist without reading, also after a restart, and accept new events", async () => {
    const eventStore = new InMemoryEventStore();
    const subscribing = vi.spyOn(eventStore, "subscribe");
    const location = await temporaryLocation();
    const database = await openPlans(location);
    const { stop } = await startProjector(eventStore, database, [planList, offerList]);
    expect(subscribing).toHaveBeenCalledTimes(1);
    expect(await tableNames(database)).toEqual([
      "checkpoints",
      "offers",
      "plans",
      "read_models",
      "stopped_streams",
    ]);
    expect(await idsOf(database)).toEqual([]);
    await stop();
    await database.close();

    const reopened = await openPlans(location);
    const { projector } = await startProjector(eventStore, reopened, [planList, offerList]);
    expect(subscribing).toHaveBeenCalledTimes(2);
    const { position } = await store(eventStore, listed(1), listed(2));
    await expect(projector.after(position, { limitMs: waitMs })).resolves.toBe(true);
    expect(await idsOf(reopened)).toEqual([1, 2]);
    await expect(projector.rebuild()).resolves.toMatchObject([{ equal: true, rows: 2 }, { equal: true }]);
  });

  test("tables of an older version and their indexes are replaced", async () => {
    const eventStore = new InMemoryEventStore();
    const database = await openPlans(await temporaryLocation());
    await (await startProjector(eventStore, database, [planList])).stop();
    const { projector } = await startProjector(eventStore, database, [planListTwo]);
    const indexes = await engineWords.indexesOf("plans").execute(database.queries as never);
    expect(JSON.stringify(indexes.rows)).toContain("label");
    const { position } = await store(eventStore, listed(1));
    await projector.after(position, { limitMs: waitMs });
    await expect(projector.rebuild()).resolves.toMatchObject([{ equal: true, rows: 1 }]);
  });

  test("an event that comes while its tables are made is in them", async () => {
    const eventStore = new InMemoryEventStore();
    const ask = eventStore.lastPosition.bind(eventStore);
    vi.spyOn(eventStore, "lastPosition").mockImplementationOnce(async () => {
      const end = await ask();
      await store(eventStore, listed(1));
      return end;
    });
    const database = await openPlans(await temporaryLocation());
    await startProjector(eventStore, database, [planList]);
    expect(await idsOf(database)).toEqual([1]);
  });

  test.each([
    ["fails", () => Promise.reject(new EventStoreUnavailableError("the store is away"))],
    ["does not answer", () => new Promise<undefined>(() => undefined)],
  ])("tables are built by reading if the question for its end %s", async (_, answer) => {
    const eventStore = new InMemoryEventStore();
    vi.spyOn(eventStore, "lastPosition").mockImplementationOnce(answer);
    const subscribing = vi.spyOn(eventStore, "subscribe");
    const database = await openPlans(await temporaryLocation());
    await startProjector(eventStore, database, [planList]);
    expect(subscribing).toHaveBeenCalledTimes(2);
    expect(await idsOf(database)).toEqual([]);
  });
});

describe("interrupted", () => {
  test("it leaves the old tables in use", async () => {
    const eventStore = new InMemoryEventStore();
    const database = await openPlans(await temporaryLocation());
    for (let id = 1; id <= 50; id++) await store(eventStore, listed(id));
    const { projector } = await startProjector(eventStore, database, [planList], { batchSize: 1 });
    const impatience = new AbortController();
    const rebuild = projector.rebuild("plan_list", impatience.signal);
    await expect(projector.rebuild()).rejects.toThrow("a rebuild is running already");
    impatience.abort();
    await expect(rebuild).rejects.toThrow("the rebuild was stopped before its end");
    expect(await tableNames(database)).toEqual(["checkpoints", "plans", "read_models", "stopped_streams"]);
    await expect(projector.rebuild()).resolves.toMatchObject([{ equal: true, rows: 50 }]);
  });

  test("by a failure of the database when it begins, it is over", async () => {
    const eventStore = new InMemoryEventStore();
    const database = await openPlans(await temporaryLocation());
    await store(eventStore, listed(1));
    const { projector } = await startProjector(eventStore, database, [planList]);
    vi.spyOn(database.storage.checkpoints, "load").mockRejectedValueOnce(new Error("power cut"));
    await expect(projector.rebuild()).rejects.toThrow("power cut");
    expect(projector.health()).toMatchObject([{ state: "live" }]);
    expect(await tableNames(database)).toEqual(["checkpoints", "plans", "read_models", "stopped_streams"]);
  });

  test("by a crash, it leaves rubbish that the next start drops", async () => {
    const eventStore = new InMemoryEventStore();
    const location = await temporaryLocation();
    const crashed = await openPlans(location);
    for (let id = 1; id <= 500; id++) await store(eventStore, listed(id));
    const { projector, stop } = await startProjector(eventStore, crashed, [planList], { batchSize: 1 });
    // The connection is lost during the rebuild, as after SIGKILL, so nothing is cleaned up.
    const rebuild = projector.rebuild().catch((error: unknown) => error);
    while (!(await tableNames(crashed)).includes("plans__rebuild")) await yieldToOthers();
    await stop();
    await crashed.storage.connection.close();
    expect(await rebuild).toBeInstanceOf(Error);

    const reopened = await openPlans(location);
    expect(await tableNames(reopened)).toContain("plans__rebuild");
    expect(await reopened.queries.selectFrom("plans").select("id").execute()).toHaveLength(500);
    const second = await startProjector(eventStore, reopened, [planList]);
    expect(await tableNames(reopened)).toEqual(["checkpoints", "plans", "read_models", "stopped_streams"]);
    await expect(second.projector.rebuild()).resolves.toMatchObject([{ equal: true }]);
  });
});
