import type { EventCodec } from "@hostledger/core";
import type { EventStore } from "@hostledger/store";
import { isAborted, realTiming } from "@hostledger/runtime/async";
import { startPostgresServer, type PostgresServer } from "@hostledger/runtime/testing/postgres";
import { CompiledQuery } from "kysely";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";

import type { AnyProjection, Projection } from "../projection.ts";
import { createProjector } from "../projector/create-projector.ts";
import type { Projector } from "../projector/projector.ts";
import type { ReadModelDatabase } from "../read-model-database.ts";
import { openReadModels } from "../read-models.ts";
import { table, type Schema } from "../tables.ts";
import type { PlanSchema } from "../testing/harness.fixture.ts";
import { InMemoryEventStore } from "../testing/in-memory-event-store.ts";
import {
  listed,
  offerList,
  planCodec,
  planList,
  praised,
  store,
  storeRaw,
  type PlanEvent,
} from "../testing/plans.fixture.ts";
import { lockKey } from "./naming.ts";
import { connectionConfig, PostgresConnection } from "./postgres-connection.ts";
import { SessionOwnership } from "./session-ownership.ts";

/** Simulates two versions of the program side by side, as in an upgrade of replicas. */

const waitMs = 20_000;

const praiseTables = {
  praises: table({ columns: { plan_id: "integer" }, primaryKey: ["plan_id"] }),
};

const praiseList: Projection<PlanEvent, typeof praiseTables> = {
  name: "praise_list",
  version: 1,
  categories: ["plan"],
  tables: praiseTables,
  handlers: {
    PlanListed: "ignored",
    PlanPriced: "ignored",
    PlanRetired: "ignored",
    PlanPraised: (db, { event }) => {
      db.upsert("praises", { plan_id: event.data.planId });
    },
  },
};

type Tables = PlanSchema & Schema<typeof praiseTables>;

/** Also reads the second version of a listing, as a newer program does. */
const newerCodec: EventCodec<PlanEvent> = {
  ...planCodec,
  knows: (type) => type === "PlanListed.v2" || planCodec.knows(type),
  decode: (type, text) => planCodec.decode(type.replace(".v2", ".v1"), text),
};

let server: PostgresServer;
let databases = 0;
beforeAll(async () => {
  server = await startPostgresServer();
});
afterAll(async () => {
  await server.stop();
});

async function newUrl(): Promise<string> {
  databases += 1;
  const name = `versions_${String(databases)}`;
  const client = new pg.Client({ connectionString: server.url });
  await client.connect();
  await client.query(`create database ${name}`);
  await client.end();
  return Object.assign(new URL(server.url), { pathname: `/${name}` }).href;
}

interface Program {
  readonly projector: Projector;
  readonly database: ReadModelDatabase<Tables>;
  stop(): Promise<void>;
}

async function startProgram(
  url: string,
  eventStore: EventStore,
  projections: readonly AnyProjection<PlanEvent>[],
  codec = planCodec,
): Promise<Program> {
  const database = await openReadModels<Tables>({ location: { kind: "postgres", url }, service: "plans" });
  onTestFinished(() => database.close());
  const projector = await createProjector<PlanEvent>({
    store: eventStore,
    database,
    codec,
    codecOf: () => codec,
    projections,
  });
  const ended = new AbortController();
  const running = (async () => {
    // A failed run starts again, as in a supervised task.
    while (!ended.signal.aborted) await projector.run(ended.signal).catch(() => realTiming.sleep(100));
  })();
  const stop = async (): Promise<void> => {
    ended.abort();
    await running;
    await database.close();
  };
  onTestFinished(stop);
  return { projector, database, stop };
}

/** Wraps an event store: readers from its start wait between `holdUp` and `letGo`. */
function heldUp(eventStore: EventStore) {
  const free = Promise.withResolvers<undefined>();
  const held = { isHeld: false, letGo: () => free.resolve(undefined) };
  const log: EventStore = {
    append: (...given) => eventStore.append(...given),
    read: (...given) => eventStore.read(...given),
    lastPosition: () => eventStore.lastPosition(),
    close: () => eventStore.close(),
    async *subscribe(options) {
      if (options.from === "start" && held.isHeld) await free.promise;
      yield* eventStore.subscribe(options);
    },
  };
  return { log, holdUp: () => (held.isHeld = true), letGo: held.letGo };
}

/** Holds the tables' lock like an older program; replaces each terminated session at once. */
async function holdStubbornly(url: string, signal: AbortSignal, sessions: { count: number }): Promise<void> {
  while (!signal.aborted) {
    const client = new pg.Client({ connectionString: url });
    const gone = new Promise((resolve) => {
      client.on("error", resolve);
      signal.addEventListener("abort", resolve);
    });
    await client.connect();
    try {
      await client.query("select pg_advisory_lock($1)", [lockKey("projections plans")]);
      if (!isAborted(signal)) sessions.count += 1;
      await gone;
    } finally {
      await client.end();
    }
  }
}

const titlesOf = async ({ database }: Program): Promise<readonly string[]> =>
  (await database.queries.selectFrom("plans").select("title").orderBy("id").execute()).map(
    ({ title }) => title,
  );
const praisesOf = async ({ database }: Program): Promise<readonly number[]> =>
  (await database.queries.selectFrom("praises").select("plan_id").orderBy("plan_id").execute()).map(
    (row) => row.plan_id,
  );

describe("a newer program beside an older one", () => {
  it("builds its additional tables without waiting for the older one, which continues to read", async () => {
    const url = await newUrl();
    const eventStore = new InMemoryEventStore();
    await store(eventStore, listed(1), praised(1));
    const older = await startProgram(url, eventStore, [planList, offerList]);
    await older.projector.ready();
    const newer = await startProgram(url, eventStore, [planList, offerList, praiseList]);
    await newer.projector.ready();
    const { position } = await store(eventStore, listed(2), praised(2));
    for (const program of [older, newer]) {
      expect(await program.projector.after(position, { limitMs: waitMs })).toBe(true);
      expect(await titlesOf(program)).toEqual(["Plan 1", "Plan 2"]);
      expect(program.projector.health().map(({ state, stale }) => [state, stale])).toEqual(
        program.projector.health().map(() => ["live", undefined]),
      );
    }
    expect(await praisesOf(newer)).toEqual([1, 2]);

    // The older program owns the tables again, and ignores tables that it does not know.
    await newer.stop();
    const since = await store(eventStore, listed(3), praised(3));
    expect(await older.projector.after(since.position, { limitMs: waitMs })).toBe(true);
    const again = await startProgram(url, eventStore, [planList, offerList, praiseList]);
    expect(await again.projector.after(since.position, { limitMs: waitMs })).toBe(true);
    expect(await praisesOf(again)).toEqual([1, 2, 3]);
    expect((await again.projector.rebuild()).map(({ equal }) => equal)).toEqual([true, true, true]);
  });

  it("takes the tables over at once from one that has another session", async () => {
    const url = await newUrl();
    const eventStore = new InMemoryEventStore();
    await store(eventStore, listed(1));
    const ended = new AbortController();
    const sessions = { count: 0 };
    const holding = holdStubbornly(url, ended.signal, sessions);
    await expect.poll(() => sessions.count).toBe(1);
    const newer = await startProgram(url, eventStore, [planList]);
    await newer.projector.ready();
    expect(await titlesOf(newer)).toEqual(["Plan 1"]);
    // The older program's session was terminated once and now waits behind the newer program's session.
    expect(sessions.count).toBe(1);
    ended.abort();
    await newer.stop();
    await holding;
  });

  it("stands by if the session that it ends is not the only owner of the tables", async () => {
    const url = await newUrl();
    for (const name of ["hostledger plans edition 1", "hostledger plans edition 9"]) {
      const client = new pg.Client({ connectionString: url, application_name: name });
      client.on("error", () => undefined);
      await client.connect();
      onTestFinished(() => client.end());
      await client.query("select pg_advisory_lock_shared($1)", [lockKey("projections plans")]);
    }
    const connection = new PostgresConnection(connectionConfig(url, "plans"));
    onTestFinished(() => connection.close());
    const ownership = new SessionOwnership(connection, "plans", "hostledger_plans");
    await expect(ownership.tryAcquire(2)).resolves.toBe(false);
    expect(ownership.isHeld).toBe(false);
    // The session continues, and waits for locks without a limit as before.
    const [row] = await connection.rows(CompiledQuery.raw("select current_setting('lock_timeout') as waits"));
    expect(row).toEqual({ waits: "0" });
  });

  it("with other tables makes the older one report that it cannot read them", async () => {
    const url = await newUrl();
    const eventStore = new InMemoryEventStore();
    await store(eventStore, listed(1));
    const older = await startProgram(url, eventStore, [planList, offerList]);
    await older.projector.ready();
    const secondPlans = { ...planList, version: 2 };
    const newer = await startProgram(url, eventStore, [secondPlans, offerList]);
    await newer.projector.ready();
    const sentence = "its projection plan_list has version 2, this one 1";
    await expect
      .poll(() => older.projector.health()[0])
      .toMatchObject({
        unbuilt: true,
        stale: true,
        reason: expect.stringContaining(sentence) as unknown,
      });
    // The older program does not wait for this read model, because no process updates it.
    const { position } = await store(eventStore, listed(2));
    expect(await older.projector.after(position, { names: ["plan_list"], limitMs: waitMs })).toBe(false);
    expect(await newer.projector.after(position, { limitMs: waitMs })).toBe(true);
    expect(await titlesOf(newer)).toEqual(["Plan 1", "Plan 2"]);
    await expect(startProgram(url, eventStore, [planList, offerList])).rejects.toThrow(sentence);
  });

  it("continues past an event of its version, before which the older one has stopped", async () => {
    const url = await newUrl();
    const eventStore = new InMemoryEventStore();
    await store(eventStore, listed(1));
    const older = await startProgram(url, eventStore, [planList]);
    const secondPlans: typeof planList = {
      ...planList,
      version: 2,
      handlers: {
        ...planList.handlers,
        PlanListed: (db, { event }) => {
          const { planId: id, title } = event.data;
          db.upsert("plans", { id, title, price_cents: null, retired: false, stream: "plan-1" });
        },
      },
    };
    const { position } = await storeRaw(
      eventStore,
      "PlanListed.v2",
      JSON.stringify({ planId: 1, title: "Renamed" }),
    );
    await expect.poll(() => older.projector.stopped()[0]?.reason).toContain("PlanListed.v2");
    const newer = await startProgram(url, eventStore, [secondPlans], newerCodec);
    expect(await newer.projector.after(position, { limitMs: waitMs })).toBe(true);
    expect(await titlesOf(newer)).toEqual(["Renamed"]);
  });

  it("builds its tables undisturbed by a rebuild of the older one", async () => {
    const url = await newUrl();
    const eventStore = new InMemoryEventStore();
    await store(eventStore, listed(1));
    const [ofOlder, ofNewer] = [heldUp(eventStore), heldUp(eventStore)];
    const older = await startProgram(url, ofOlder.log, [planList]);
    await older.projector.ready();
    ofOlder.holdUp();
    const rebuilding = older.projector.rebuild("plan_list").catch(String);
    await expect.poll(() => older.projector.health()[0]?.state).toBe("rebuilding");

    const secondPlans: typeof planList = {
      ...planList,
      version: 2,
      handlers: {
        ...planList.handlers,
        PlanListed: (db, { event: { data }, stream }) => {
          const title = `${data.title} of the newer one`;
          db.insert("plans", { id: data.planId, title, price_cents: null, retired: false, stream });
        },
      },
    };
    ofNewer.holdUp();
    const newer = await startProgram(url, ofNewer.log, [secondPlans]);
    await expect.poll(() => newer.projector.health()[0]?.state).toBe("rebuilding");
    await expect
      .poll(() => older.projector.rebuild("plan_list").catch(String))
      .toContain("another process keeps");
    ofOlder.letGo();
    expect(await rebuilding).toContain("the connection that writes was lost");
    ofNewer.letGo();
    await newer.projector.ready();
    expect(await titlesOf(newer)).toEqual(["Plan 1 of the newer one"]);
  });

  it("is not replaced by an older one, or by one of its own version", async () => {
    const url = await newUrl();
    const eventStore = new InMemoryEventStore();
    const newer = await startProgram(url, eventStore, [planList, offerList]);
    await newer.projector.ready();
    const others = [
      await startProgram(url, eventStore, [planList, offerList]),
      await startProgram(url, eventStore, [planList]),
    ];
    for (const { projector } of others) await projector.ready();
    await expect(newer.projector.rebuild("plan_list")).resolves.toMatchObject([{ equal: true }]);
    for (const { projector } of others)
      await expect(projector.rebuild("plan_list")).rejects.toThrow("another process keeps");
  });
});
