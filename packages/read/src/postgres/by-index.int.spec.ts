import { startPostgresServer, type PostgresServer } from "@hostledger/runtime/testing/postgres";
import { CompiledQuery } from "kysely";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";

import { createProjector } from "../projector/create-projector.ts";
import type { ReadModelDatabase } from "../read-model-database.ts";
import { openReadModels } from "../read-models.ts";
import type { PlanSchema } from "../testing/harness.fixture.ts";
import { InMemoryEventStore } from "../testing/in-memory-event-store.ts";
import { offerList, offerTables, planCodec, planList, planTables } from "../testing/plans.fixture.ts";
import { TableSql } from "./table-sql.ts";

let server: PostgresServer;

beforeAll(async () => {
  server = await startPostgresServer();
});

afterAll(() => server.stop());

/** Creates empty tables without PostgreSQL statistics; plans made now may be cached for long. */
async function emptyTables(): Promise<ReadModelDatabase<PlanSchema>> {
  const location = { kind: "postgres", url: server.url } as const;
  const database = await openReadModels<PlanSchema>({ location, service: "plans" });
  const store = new InMemoryEventStore();
  const projections = [planList, offerList];
  const projector = await createProjector({
    store,
    database,
    codec: planCodec,
    codecOf: () => planCodec,
    projections,
  });
  const ended = new AbortController();
  const running = projector.run(ended.signal);
  onTestFinished(async () => {
    ended.abort();
    await running;
    await database.close();
  });
  await projector.ready();
  return database;
}

it("finds the rows that it changes by their keys", async () => {
  const { connection } = (await emptyTables()).storage;
  const [plans, offers] = [
    new TableSql("plans", planTables.plans),
    new TableSql("offers", offerTables.offers),
  ];
  for (const statement of [plans.update(["title"]), plans.delete, plans.conflicts, offers.delete]) {
    const columns = new Set(statement.match(/\$\d+/g)).size;
    const rows = Array.from({ length: columns }, () => Array.from({ length: 20 }, (_, row) => row));
    const explain = CompiledQuery.raw(`explain ${statement}`, rows);
    const plan = await connection.rows<Record<string, string>>({ ...explain });
    const text = plan.flatMap(Object.values).join("\n");
    expect(text, statement).toMatch(/Nested Loop[^]*Index (Only )?Scan using \w+_pkey/);
    expect(text, statement).not.toMatch(/Seq Scan|Hash|Merge|Bitmap/);
  }
});

it("answers by an index, also by one that marks deleted rows", async () => {
  const { queries } = await emptyTables();
  for (const plans of [
    queries.selectFrom("plans").selectAll().where("title", "=", "Plan 1"),
    queries.selectFrom("plans").selectAll().where("retired", "=", 0).orderBy("id"),
    queries.selectFrom("offers").selectAll().where("since", "<", "2026"),
  ]) {
    const text = (await plans.explain<Record<string, string>>())
      .flatMap((row) => Object.values(row))
      .join("\n");
    expect(text).toMatch(/Index Scan using/);
    expect(text).not.toMatch(/Seq Scan|Bitmap/);
  }
});
