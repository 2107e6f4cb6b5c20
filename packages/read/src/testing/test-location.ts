import { randomUUID } from "node:crypto";

import pg from "pg";

import type { ReadModelLocation } from "../read-models.ts";

/**
 * Environment variable with the PostgreSQL server of `TEST_DATABASE=postgres`; the run's global setup starts it. Outside
 * our own prefix, because the program refuses unknown variables with it.
 */
const serverVariable = "TEST_POSTGRES_URL";

/** True if the tests of read models run on PostgreSQL. */
export function testsRunOnPostgres(): boolean {
  return process.env.TEST_DATABASE === "postgres";
}

/**
 * Returns a location for a service's read models in a test: a file, or a PostgreSQL database of its own.
 * @param path the file.
 */
export function testLocation(path: string): Promise<ReadModelLocation> {
  return locationIn(path, serviceDatabase);
}

/** Like `testLocation`, but empty, for tests of read models themselves. */
export function emptyLocation(path: string): Promise<ReadModelLocation> {
  return locationIn(path, newDatabase);
}

async function locationIn(path: string, database: () => Promise<string>): Promise<ReadModelLocation> {
  return testsRunOnPostgres() ? { kind: "postgres", url: await database() } : { kind: "sqlite", path };
}

/** Databases per worker before one is reused, because a test may use several at once. */
const keptLimit = 8;

/** A database of this worker with an open session, because making them takes as long as a test. */
interface KeptDatabase {
  readonly url: string;
  readonly client: pg.Client;
}

/** Databases for services, the least recently used first. */
const ofServices: KeptDatabase[] = [];
/** Empty databases, the least recently used first. */
const emptied: KeptDatabase[] = [];

/** Returns the address of an empty database on the tests' PostgreSQL server. */
export function newDatabase(): Promise<string> {
  return freeDatabase(emptied, dropping);
}

/** Returns the address of a database whose tables exist but are empty, as after a service's first start. */
function serviceDatabase(): Promise<string> {
  return freeDatabase(ofServices, emptying);
}

async function freeDatabase(kept: KeptDatabase[], clearing: string): Promise<string> {
  const oldest = kept.length < keptLimit ? undefined : kept.shift();
  const isFree = oldest !== undefined && (await isUnused(oldest));
  if (isFree) await oldest.client.query(clearing);
  else if (oldest !== undefined) kept.push(oldest);
  const database = isFree ? oldest : await created();
  kept.push(database);
  return database.url;
}

async function isUnused({ client }: KeptDatabase): Promise<boolean> {
  const others =
    "select from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()";
  return (await client.query(others)).rows.length === 0;
}

const dropping = `
  do $$
  declare found text;
  begin
    for found in select nspname from pg_namespace where nspname !~ '^pg_' and nspname <> 'information_schema' loop
      execute format('drop schema %I cascade', found);
    end loop;
    create schema public;
  end
  $$`;

/** Empties the tables of a service and resets their checkpoints, because creating them takes longer than most tests. */
const emptying = `
  do $$
  declare found regclass;
  begin
    for found in select oid from pg_class where relkind = 'r' and relnamespace >= 16384 and pg_relation_size(oid) > 0
      and relname not in ('read_models', 'kysely_migration', 'kysely_migration_lock') loop
      if found::text like '%.checkpoints' then
        execute format('update %s set position = -1, parked = null, last_event = null', found);
      else
        execute format('delete from %s', found);
      end if;
    end loop;
  end
  $$`;

async function created(): Promise<KeptDatabase> {
  const name = `test_${randomUUID().replaceAll("-", "")}`;
  const maker = await connected(postgresForTests());
  // Faster than the default strategy (the write-ahead log), because nothing is synced.
  await maker.query(`create database ${name} strategy file_copy`);
  await maker.end();
  const url = Object.assign(new URL(postgresForTests()), { pathname: `/${name}` }).href;
  return { url, client: await connected(url) };
}

async function connected(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  // The server is stopped before the worker is.
  client.on("error", () => undefined);
  await client.connect();
  return client;
}

/** Returns the address of the tests' PostgreSQL server. */
export function postgresForTests(): string {
  const url = process.env[serverVariable];
  if (url === undefined)
    throw new Error(
      `${serverVariable} is not set: run this test through its vitest project, which starts PostgreSQL`,
    );
  return url;
}
