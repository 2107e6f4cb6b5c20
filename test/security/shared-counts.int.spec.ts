import { readFileSync } from "node:fs";

import { openSharedCounts, type SharedCounts } from "@hostledger/gateway";
import { startPostgresServer, type PostgresServer } from "@hostledger/runtime/testing/postgres";
import pg from "pg";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";

const counted = { points: 2, duration: 60, keyPrefix: "spec" };

let server: PostgresServer;
let opened: SharedCounts[] = [];
let warnings: string[] = [];

beforeAll(async () => {
  server = await startPostgresServer();
});

afterAll(() => server.stop());

afterEach(async () => {
  await Promise.all(opened.map((counts) => counts.close()));
  opened = [];
  warnings = [];
});

/** Creates the counter of a gateway. */
function gateway(url = server.url): ReturnType<SharedCounts["counterOf"]> {
  return countsOf(url).counterOf(counted);
}

function countsOf(url: string): SharedCounts {
  const logger = { warn: (_fields: object, message: string) => void warnings.push(message) };
  // A busy machine may need longer than a customer would wait.
  const counts = openSharedCounts(url, logger, 60_000);
  opened.push(counts);
  return counts;
}

async function consumed(counter: ReturnType<typeof gateway>, client: string): Promise<number> {
  return (await counter.penalty(client)).consumedPoints;
}

it("several gateways that meet for the first time count together, each client for itself", async () => {
  const gateways = Array.from({ length: 4 }, () => gateway());
  await Promise.all(gateways.map((one) => consumed(one, "all begin at once")));
  // If two gateways create the table at once, one may have counted alone; from now on none does.
  const [one, other] = [gateway(), gateway()];
  expect(await consumed(one, "a")).toBe(1);
  expect(await consumed(other, "a")).toBe(2);
  expect(await consumed(other, "b")).toBe(1);
  expect(await consumed(one, "a")).toBe(3);
});

it("a role with rights to the one table counts there, and can do nothing else", async () => {
  const database = new URL(server.url);
  database.pathname = "/limited";
  const asUser = async (url: string, ...statements: readonly string[]): Promise<void> => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    try {
      for (const statement of statements) await client.query(statement);
    } finally {
      await client.end();
    }
  };
  await asUser(server.url, "create database limited");
  const role = readFileSync(new URL("../../deploy/gateway-role.sql", import.meta.url), "utf8");
  const password = "alter role hostledger_gateway password 'gateway'";
  // Safe to run again.
  await asUser(database.href, role, role, password, "create table invoices (id integer)");
  database.username = "hostledger_gateway";
  database.password = "gateway";
  const [one, other] = [gateway(database.href), gateway(database.href)];
  expect([await consumed(one, "a"), await consumed(other, "a")]).toEqual([1, 2]);
  expect(warnings).toEqual([]);
  for (const forbidden of [
    "select * from invoices",
    "create table public.mine (id integer)",
    "create table gateway.mine (id integer)",
    "create schema mine",
    "drop table gateway.rate_counts",
    "truncate gateway.rate_counts",
    "create role mine",
  ])
    await expect(asUser(database.href, forbidden), forbidden).rejects.toThrow(
      /permission denied|must be owner/,
    );
});

it("another name is counted separately, for the same client", async () => {
  const counts = countsOf(server.url);
  const [keys, failures] = ["key", "failure"].map((keyPrefix) => counts.counterOf({ ...counted, keyPrefix }));
  await keys?.penalty("9; drop schema gateway cascade");
  const { consumedPoints = 0 } = (await failures?.penalty("9; drop schema gateway cascade")) ?? {};
  expect(consumedPoints).toBe(1);
});

it("a gateway without its database counts alone, logs it once, and refuses nobody", async () => {
  const lost = gateway("postgres://nobody@127.0.0.1:1/none");
  expect(await consumed(lost, "a")).toBe(1);
  expect(await consumed(lost, "a")).toBe(2);
  expect(await consumed(lost, "b")).toBe(1);
  expect(warnings).toEqual(["requests are counted by this process alone: the database does not count"]);
});

it("a client that the database has no room for is counted all the same", async () => {
  const long = "x".repeat(300);
  const counter = gateway();
  expect([await consumed(counter, long), await consumed(counter, long)]).toEqual([1, 2]);
});
