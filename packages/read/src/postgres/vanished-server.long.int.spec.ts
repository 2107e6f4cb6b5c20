import { isAborted, realTiming } from "@hostledger/runtime/async";
import { startTcpProxy, type TcpProxy } from "@hostledger/runtime/testing";
import { startPostgresServer, type PostgresServer } from "@hostledger/runtime/testing/postgres";
import pg from "pg";
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest";

import type { Projector } from "../projector/projector.ts";
import type { ReadModelDatabase } from "../read-model-database.ts";
import { openReadModels } from "../read-models.ts";
import { planProjector, type PlanSchema } from "../testing/harness.fixture.ts";
import { InMemoryEventStore } from "../testing/in-memory-event-store.ts";
import { listed, planList, store } from "../testing/plans.fixture.ts";

/** Simulates a failover: the server vanishes during statements, and another server takes over its address and data. */

/** The clients notice within 20 seconds; without keepalive, TCP would need a quarter of an hour. */
const noticedMs = 45_000;

let server: PostgresServer;
let proxy: TcpProxy;
beforeEach(async () => {
  server = await startPostgresServer();
  proxy = await startTcpProxy(Number(new URL(server.url).port));
});
afterEach(async () => {
  await proxy.close();
  await server.stop();
});

/** Switches to the other server, where all sessions, locks and open transactions are gone. */
async function failOver(): Promise<void> {
  proxy.abandon();
  const admin = new pg.Client({ connectionString: server.url });
  await admin.connect();
  await admin.query(
    "select pg_terminate_backend(pid) from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()",
  );
  await admin.end();
}

async function openThroughProxy(): Promise<ReadModelDatabase<PlanSchema>> {
  const url = Object.assign(new URL(server.url), { port: String(proxy.port) }).href;
  const database = await openReadModels<PlanSchema>({
    location: { kind: "postgres", url },
    service: "plans",
  });
  onTestFinished(() => database.close());
  return database;
}

interface Program {
  readonly projector: Projector;
  titles(): Promise<readonly string[]>;
}

async function startProgram(eventStore: InMemoryEventStore): Promise<Program> {
  const database = await openThroughProxy();
  const projector = await planProjector(eventStore, database, [planList]);
  const ended = new AbortController();
  const running = (async () => {
    // A failed run starts again, as in a supervised task.
    while (!isAborted(ended.signal)) await projector.run(ended.signal).catch(() => realTiming.sleep(100));
  })();
  onTestFinished(async () => {
    ended.abort();
    await running;
  });
  await projector.ready();
  const query = database.prepared((db) => db.selectFrom("plans").select("title").orderBy("id"));
  return { projector, titles: async () => (await query.all({})).map(({ title }) => title) };
}

describe("a server that vanishes without a word", () => {
  it("prevents neither owner nor standby from reading and writing at the next one", async () => {
    const eventStore = new InMemoryEventStore();
    await store(eventStore, listed(1));
    const programs = [await startProgram(eventStore), await startProgram(eventStore)];
    for (const { titles } of programs) expect(await titles()).toEqual(["Plan 1"]);

    await failOver();
    const readings = programs.map(({ titles }) => titles().catch(() => "unanswered"));
    const { position } = await store(eventStore, listed(2));
    for (const { projector } of programs)
      expect(await projector.after(position, { limitMs: noticedMs })).toBe(true);
    await Promise.all(readings);
    for (const { titles } of programs) expect(await titles()).toEqual(["Plan 1", "Plan 2"]);
  });

  it("loses who was in a transaction the tables, and leaves nothing of it", async () => {
    const { storage, ...database } = await openThroughProxy();
    const { connection, ownership } = storage;
    expect(await ownership.tryAcquire(1)).toBe(true);
    await connection.execute("create table kept (n integer)");
    const failed = await storage.exclusively(() =>
      storage
        .transaction(async () => {
          await connection.execute("insert into kept values (1)");
          await failOver();
          await connection.execute("insert into kept values (2)");
        })
        .catch((error: unknown) => error),
    );
    expect(storage.isDatabaseFailure(failed)).toBe(true);
    expect([ownership.isHeld, ownership.lost.aborted]).toEqual([false, true]);
    await expect(connection.execute("insert into kept values (3)")).rejects.toThrow("was lost");

    expect(await ownership.tryAcquire(1)).toBe(true);
    await connection.execute("insert into kept values (4)");
    expect(
      await database.queries
        .selectFrom("kept" as never)
        .selectAll()
        .execute(),
    ).toEqual([{ n: 4 }]);
  });
});
