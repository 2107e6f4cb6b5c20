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

/** So many databases are made by a worker before one is used again: a test that is under way may have several. */
const keptLimit = 16;
/** The databases that this worker has made, the one that was given away longest ago first. */
const kept: string[] = [];

/** An empty database on the tests' PostgreSQL server: one that is not used any more, or a new one. @returns its address. */
export async function newDatabase(): Promise<string> {
  const name = (await emptiedOldest()) ?? (await created());
  kept.push(name);
  return addressOf(name);
}

/** Emptying takes a fraction of what making and dropping does, which copies and removes some hundred files. */
async function emptiedOldest(): Promise<string | undefined> {
  if (kept.length < keptLimit) return undefined;
  const [oldest] = kept.splice(0, 1);
  if (oldest === undefined) return undefined;
  const isFree = await connected(addressOf(oldest), async (client) => {
    const others =
      "select from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()";
    if ((await client.query(others)).rows.length > 0) return false;
    await client.query(emptying);
    return true;
  });
  if (isFree) return oldest;
  kept.push(oldest);
  return undefined;
}

const emptying = `
  do $$
  declare found text;
  begin
    for found in select nspname from pg_namespace where nspname !~ '^pg_' and nspname <> 'information_schema' loop
      execute format('drop schema %I cascade', found);
    end loop;
    create schema public;
  end
  $$`;

async function created(): Promise<string> {
  const name = `test_${randomUUID().replaceAll("-", "")}`;
  await connected(postgresForTests(), (client) =>
    // Quicker than by its log, which is the default, since nothing is synced.
    client.query(`create database ${name} strategy file_copy`),
  );
  return name;
}

async function connected<Result>(url: string, work: (client: pg.Client) => Promise<Result>): Promise<Result> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

function addressOf(database: string): string {
  return Object.assign(new URL(postgresForTests()), { pathname: `/${database}` }).href;
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
