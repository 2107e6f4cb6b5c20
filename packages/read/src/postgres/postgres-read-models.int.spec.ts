import { TemporarilyUnavailableError } from "@hostledger/core";
import { realTiming } from "@hostledger/runtime/async";
import { startPostgresServer, type PostgresServer } from "@hostledger/runtime/testing/postgres";
import { sql } from "kysely";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";

import { ReadModelError } from "../errors.ts";
import type { ReadModelDatabase } from "../read-model-database.ts";
import { openReadModels } from "../read-models.ts";
import { createProjector } from "../projector/create-projector.ts";
import type { Projector, ProjectorOptions } from "../projector/projector.ts";
import { InMemoryEventStore } from "../testing/in-memory-event-store.ts";
import {
  listed,
  offerList,
  planCodec,
  planList,
  priced,
  store,
  storeRaw,
  type PlanEvent,
} from "../testing/plans.fixture.ts";
import type { PlanSchema } from "../testing/harness.fixture.ts";

let server: PostgresServer;
let admin: pg.Client;
let databases = 0;

beforeAll(async () => {
  server = await startPostgresServer();
  admin = new pg.Client({ connectionString: server.url });
  await admin.connect();
});

afterAll(async () => {
  await admin.end();
  await server.stop();
});

async function newUrl(): Promise<string> {
  databases += 1;
  const name = `spec_${String(databases)}`;
  await admin.query(`create database ${name}`);
  return Object.assign(new URL(server.url), { pathname: `/${name}` }).href;
}

interface Process {
  readonly database: ReadModelDatabase<PlanSchema>;
  readonly projector: Projector;
  stop(): Promise<void>;
}

async function startProcess(
  url: string,
  eventStore: InMemoryEventStore,
  options: Pick<ProjectorOptions<PlanEvent>, "restMs"> = {},
): Promise<Process> {
  const database = await openReadModels<PlanSchema>({
    location: { kind: "postgres", url },
    service: "plans",
  });
  const projector = await createProjector<PlanEvent>({
    store: eventStore,
    database,
    codec: planCodec,
    codecOf: () => planCodec,
    projections: [planList, offerList],
    ...options,
  });
  const ended = new AbortController();
  const running = (async () => {
    // A failed run starts again, as in a supervised task.
    while (!ended.signal.aborted) await projector.run(ended.signal).catch(() => realTiming.sleep(50));
  })();
  let stopped: Promise<void> | undefined;
  const stop = (): Promise<void> =>
    (stopped ??= (async () => {
      ended.abort();
      await running;
      await database.close();
    })());
  onTestFinished(stop);
  await projector.ready();
  return { database, projector, stop };
}

const waitMs = 20_000;

/** Terminates the writing session, as if its process died. */
async function endOwner(url: string): Promise<void> {
  const name = new URL(url).pathname.slice(1);
  const text = `select pg_terminate_backend(a.pid) from pg_locks l join pg_stat_activity a using (pid)
    where l.locktype = 'advisory' and l.granted and a.datname = $1`;
  await admin.query(text, [name]);
}

const titles = async ({ database }: Process): Promise<readonly string[]> =>
  (await database.queries.selectFrom("plans").select("title").orderBy("id").execute()).map(
    ({ title }) => title,
  );

it("pauses no longer than until a caller waits in a process that stands by", async () => {
  const eventStore = new InMemoryEventStore();
  const url = await newUrl();
  await store(eventStore, listed(1));
  const both = [
    await startProcess(url, eventStore, { restMs: 3_600_000 }),
    await startProcess(url, eventStore, { restMs: 3_600_000 }),
  ];
  for (const id of [2, 3, 4]) {
    const { position } = await store(eventStore, listed(id), priced(id, "100"));
    const [, standingBy] = both;
    expect(await standingBy?.projector.after(position, { limitMs: waitMs })).toBe(true);
  }
  for (const { stop } of both) await stop();
});

it.each(["keeps the tables", "stands by"])(
  "continues its pause for patient callers in a process that %s",
  async (which) => {
    const eventStore = new InMemoryEventStore();
    const url = await newUrl();
    await store(eventStore, listed(1));
    const keeping = await startProcess(url, eventStore, { restMs: 3_600_000 });
    const standingBy = await startProcess(url, eventStore, { restMs: 3_600_000 });
    const { projector } = which === "stands by" ? standingBy : keeping;
    // After the first event, the owner waits for news.
    const first = await store(eventStore, listed(2));
    expect(await keeping.projector.after(first.position, { limitMs: waitMs })).toBe(true);
    const { position } = await store(eventStore, listed(3), priced(3, "100"));
    expect(await projector.after(position, { limitMs: 300, isUrgent: false })).toBe(false);
    const inNoHurry = projector.after(position, { limitMs: waitMs, isUrgent: false });
    expect(await projector.after(position, { limitMs: waitMs })).toBe(true);
    expect(await inNoHurry).toBe(true);
  },
);

describe("two processes", () => {
  it("may open an empty database at once, and one owns the tables", async () => {
    for (let round = 0; round < 10; round += 1) {
      const url = await newUrl();
      const eventStore = new InMemoryEventStore();
      await store(eventStore, listed(1), priced(1, "100"));
      const both = await Promise.all([startProcess(url, eventStore), startProcess(url, eventStore)]);
      const { position } = await store(eventStore, listed(2));
      for (const one of both) {
        expect(await one.projector.after(position, { limitMs: waitMs })).toBe(true);
        expect(await titles(one)).toEqual(["Plan 1", "Plan 2"]);
      }
      const rebuilds = await Promise.allSettled(both.map(({ projector }) => projector.rebuild()));
      expect(rebuilds.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
      for (const { stop } of both) await stop();
    }
  });

  it("hand over when the owner of the tables ends, in order or not", async () => {
    const url = await newUrl();
    const eventStore = new InMemoryEventStore();
    const first = await startProcess(url, eventStore);
    const second = await startProcess(url, eventStore);
    await store(eventStore, listed(1));
    await first.stop();
    const { position } = await store(eventStore, listed(2));
    expect(await second.projector.after(position, { limitMs: waitMs })).toBe(true);

    const third = await startProcess(url, eventStore);
    await endOwner(url);
    const later = await store(eventStore, listed(3), priced(3, "100"));
    for (const one of [second, third])
      expect(await one.projector.after(later.position, { limitMs: waitMs })).toBe(true);
    expect(await titles(third)).toEqual(["Plan 1", "Plan 2", "Plan 3"]);
    const active = (await Promise.allSettled([second.projector.rebuild(), third.projector.rebuild()])).filter(
      (outcome) => outcome.status === "fulfilled",
    );
    expect(active.map(({ value }) => value)).toEqual([
      [expect.objectContaining({ equal: true }), expect.objectContaining({ equal: true })],
    ]);
  });

  it("lose and double nothing when the session that writes is ended again and again", async () => {
    const url = await newUrl();
    const eventStore = new InMemoryEventStore();
    const both = [await startProcess(url, eventStore), await startProcess(url, eventStore)];
    let last = -1n;
    for (let id = 1; id <= 120; id += 1) {
      last = (await store(eventStore, listed(id), priced(id, String(id)))).position;
      if (id % 10 === 0) await endOwner(url);
    }
    for (const one of both) {
      expect(await one.projector.after(last, { limitMs: waitMs })).toBe(true);
      expect(await titles(one)).toHaveLength(120);
    }
  });

  it("both report a stopped stream, and continue to read", async () => {
    const url = await newUrl();
    const eventStore = new InMemoryEventStore();
    const [active, other] = [await startProcess(url, eventStore), await startProcess(url, eventStore)];
    await store(eventStore, listed(1));
    await storeRaw(eventStore, "PlanListed.v1", "{}");
    const { position } = await store(eventStore, listed(2));
    for (const { projector } of [active, other]) {
      await expect
        .poll(() => projector.stopped()[0]?.reason, { timeout: waitMs })
        .toContain("PlanListed.v1 (stream plan-1, revision 1");
      expect(await projector.after(position, { limitMs: waitMs })).toBe(true);
    }
    expect(await titles(other)).toEqual(["Plan 1", "Plan 2"]);
  });
});

describe("a database that cannot be used", () => {
  const failureAt = async (url: string, service = "plans"): Promise<unknown> =>
    openReadModels({ location: { kind: "postgres", url }, service }).catch((error: unknown) => error);

  it("is reported in one sentence, without the password", async () => {
    const wrong = (change: (url: URL) => void): string => {
      const url = new URL(server.url);
      change(url);
      return url.href;
    };
    const cases: readonly [string, RegExp][] = [
      [wrong((url) => (url.password = "topsecret")), /the user name or the password is wrong/],
      [wrong((url) => (url.pathname = "/nowhere")), /there is no such database/],
      [wrong((url) => (url.port = "9")), /nobody listens there/],
    ];
    for (const [url, sentence] of cases) {
      const failure = await failureAt(url);
      expect(failure).toBeInstanceOf(ReadModelError);
      expect(String(failure)).toMatch(sentence);
      expect(String(failure)).not.toMatch(/topsecret|hostledger:hostledger/);
    }
  });

  it("belongs to a newer version", async () => {
    const url = await newUrl();
    await (await openReadModels({ location: { kind: "postgres", url }, service: "plans" })).close();
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    await client.query("insert into plans.kysely_migration values ('9999-from-the-future', '2030-01-01')");
    await client.end();
    expect(String(await failureAt(url))).toContain("was written by a newer version of Hostledger");
  });

  it("has projections of a newer version", async () => {
    const url = await newUrl();
    const eventStore = new InMemoryEventStore();
    await (await startProcess(url, eventStore)).stop();
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    await client.query("update plans.checkpoints set version = 99 where projection = 'plan_list'");
    await client.end();
    const database = await openReadModels<PlanSchema>({
      location: { kind: "postgres", url },
      service: "plans",
    });
    const options = { store: eventStore, database, codec: planCodec, codecOf: () => planCodec };
    await expect(createProjector<PlanEvent>({ ...options, projections: [planList] })).rejects.toThrow(
      "its projection plan_list has version 99, this one 1",
    );
    await database.close();
  });
});

it("separates services of one database, and shows U+FFFD because PostgreSQL has no U+0000", async () => {
  const url = await newUrl();
  const eventStore = new InMemoryEventStore();
  const process = await startProcess(url, eventStore);
  const other = await openReadModels({ location: { kind: "postgres", url }, service: "other" });
  const { position } = await store(eventStore, listed(1, "a\0b"));
  expect(await process.projector.after(position, { limitMs: waitMs })).toBe(true);
  expect(await titles(process)).toEqual(["a\ufffdb"]);
  await other.close();
});

describe("its connections", () => {
  const firstPlan = ({ prepared }: ReadModelDatabase<PlanSchema>) =>
    prepared((db) => db.selectFrom("plans").select("title")).first({});

  async function connectedTo(url: string): Promise<number> {
    const text = "select count(*)::int as n from pg_stat_activity where datname = $1";
    const { rows } = await admin.query<{ n: number }>(text, [new URL(url).pathname.slice(1)]);
    return rows[0]?.n ?? 0;
  }

  it("end with it, also with prepared queries only", async () => {
    const url = await newUrl();
    const { database, stop } = await startProcess(url, new InMemoryEventStore());
    await firstPlan(database);
    expect(await connectedTo(url)).toBeGreaterThan(1);
    await stop();
    // An idle connection would only end after ten seconds.
    await expect.poll(() => connectedTo(url), { timeout: 8_000 }).toBe(0);
  });

  it("that break while idle end no process, and are replaced", async () => {
    const url = await newUrl();
    const { database } = await startProcess(url, new InMemoryEventStore());
    await firstPlan(database);
    await admin.query("select pg_terminate_backend(pid) from pg_stat_activity where datname = $1", [
      new URL(url).pathname.slice(1),
    ]);
    // An unhandled error event would be an uncaught exception, which fails the test.
    await expect.poll(() => connectedTo(url)).toBeLessThan(2);
    await expect.poll(() => firstPlan(database).catch(String)).toBeUndefined();
  });

  it("are shared by all queries, and separate for a transaction", async () => {
    const { database } = await startProcess(await newUrl(), new InMemoryEventStore());
    const first = database.queries
      .transaction()
      .execute((db) => db.selectFrom("plans").selectAll().execute());
    await expect(first).rejects.toThrow("one question at a time");
    expect(await firstPlan(database)).toBeUndefined();
  });

  it("that are refused are reported as temporary, and the next ones are tried again", async () => {
    const url = await newUrl();
    const name = new URL(url).pathname.slice(1);
    const { database } = await startProcess(url, new InMemoryEventStore());
    await admin.query(`alter database ${name} allow_connections false`);
    await admin.query("select pg_terminate_backend(pid) from pg_stat_activity where datname = $1", [name]);
    await expect.poll(() => connectedTo(url)).toBe(0);
    const { queries, storage } = database;
    for (const ask of [
      () => firstPlan(database),
      () => queries.selectFrom("plans").selectAll().execute(),
      // Bookkeeping tables are writable in every process.
      () =>
        storage.connection.rows(
          storage.compiler.$extendTables<PlanSchema>().insertInto("plans").defaultValues().compile(),
        ),
    ]) {
      const refused = ask();
      await expect(refused).rejects.toThrow(TemporarilyUnavailableError);
      await expect(refused).rejects.toMatchObject({ sentence: "This list cannot be read now." });
    }
    await admin.query(`alter database ${name} allow_connections true`);
    expect(await firstPlan(database)).toBeUndefined();
  });

  it("that find no table report that it is not built, for every form of query", async () => {
    const { database } = await startProcess(await newUrl(), new InMemoryEventStore());
    await database.storage.connection.execute("drop table plans");
    for (const ask of [
      () => firstPlan(database),
      () => database.queries.selectFrom("plans").selectAll().execute(),
    ])
      await expect(ask()).rejects.toMatchObject({ name: "ReadModelNotBuiltError" });
  });

  it("report it to all concurrent callers, of which only the first has it planned", async () => {
    const { database } = await startProcess(await newUrl(), new InMemoryEventStore());
    await database.storage.connection.execute("drop table plans");
    const first = database.prepared((db) => db.selectFrom("plans").select("title"));
    const asked = await Promise.allSettled([first.first({}), first.first({}), first.all({})]);
    for (const each of asked)
      expect(each).toMatchObject({ status: "rejected", reason: { name: "ReadModelNotBuiltError" } });
  });

  it("pass on errors of the query itself", async () => {
    const { database } = await startProcess(await newUrl(), new InMemoryEventStore());
    const asked = database.queries.selectNoFrom(sql`1 / 0`.as("fault")).execute();
    await expect(asked).rejects.toMatchObject({ code: "22012" });
  });
});
