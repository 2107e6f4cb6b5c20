import { randomUUID } from "node:crypto";

import pg from "pg";

import type { ReadModelLocation } from "../read-models.ts";

/** Names (outside our own prefix, under which the program knows every variable) the PostgreSQL server that `TEST_DATABASE=postgres` is about; the run's global setup starts it. */
const serverVariable = "TEST_POSTGRES_URL";

/** True when the tests of read models run on PostgreSQL. */
export function testsRunOnPostgres(): boolean {
  return process.env.TEST_DATABASE === "postgres";
}

/**
 * Where a test keeps read models: in a file, or in a PostgreSQL database of its own when the tests are told to run there.
 * @param path the file.
 */
export async function testLocation(path: string): Promise<ReadModelLocation> {
  return testsRunOnPostgres() ? { kind: "postgres", url: await newDatabase() } : { kind: "sqlite", path };
}

/** Databases that are kept beyond their tests. One takes 10 MB, and a test that is under way may have several. */
const keptLimit = 16;
/** The databases that this worker has made, the oldest first. */
const kept: string[] = [];

/** Makes an empty database on the tests' PostgreSQL server, and drops one that is not used any more. @returns its address. */
export async function newDatabase(): Promise<string> {
  const url = postgresForTests();
  const name = `test_${randomUUID().replaceAll("-", "")}`;
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  // Quicker than by its log, which is the default, since nothing is synced.
  await client.query(`create database ${name} strategy file_copy`);
  kept.push(name);
  await dropOldest(client);
  await client.end();
  return Object.assign(new URL(url), { pathname: `/${name}` }).href;
}

async function dropOldest(client: pg.Client): Promise<void> {
  if (kept.length <= keptLimit) return;
  const [oldest] = kept.splice(0, 1);
  if (oldest === undefined) return;
  // A database that somebody is connected to cannot be dropped, and PostgreSQL would wait for seconds before it says so.
  const connected = await client.query("select from pg_stat_activity where datname = $1", [oldest]);
  if (connected.rows.length > 0) kept.push(oldest);
  else await client.query(`drop database ${oldest}`);
}

/** The address of the tests' PostgreSQL server. */
export function postgresForTests(): string {
  const url = process.env[serverVariable];
  if (url === undefined)
    throw new Error(
      `${serverVariable} is not set: run this test through its vitest project, which starts PostgreSQL`,
    );
  return url;
}
