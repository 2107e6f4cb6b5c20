import { startPostgresServer, type PostgresServer } from "@hostledger/runtime/testing/postgres";
import pg from "pg";
import { afterAll, beforeAll, expect, it } from "vitest";

import { openReadModels } from "../read-models.ts";

let server: PostgresServer;

beforeAll(async () => {
  server = await startPostgresServer();
});

afterAll(async () => {
  await server.stop();
});

it("opens read models while another service swaps its tables", async () => {
  const other = new pg.Client({ connectionString: server.url });
  await other.connect();
  await other.query("create schema other");
  const over = new AbortController();
  const swapping = (async () => {
    while (!over.signal.aborted) {
      await other.query("create table other.next (a text); create index on other.next (a)");
      await other.query("drop table if exists other.current; alter table other.next rename to current");
    }
  })();
  try {
    const location = { kind: "postgres", url: server.url } as const;
    for (let round = 0; round < 20; round += 1) {
      const opening = openReadModels({ location, service: `service${String(round)}` });
      await expect(opening).resolves.toBeDefined();
      await (await opening).close();
    }
  } finally {
    over.abort();
    await swapping;
    await other.end();
  }
});
