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
 * Where a test keeps the read models of a service: in a file, or in a PostgreSQL database of its own when the tests are told to run there.
 * @param path the file.
 */
export function testLocation(path: string): Promise<ReadModelLocation> {
  return locationIn(path, serviceDatabase);
}

/** The same for the tests of read models themselves, which begin with nothing. */
export function emptyLocation(path: string): Promise<ReadModelLocation> {
  return locationIn(path, newDatabase);
}

async function locationIn(path: string, database: () => Promise<string>): Promise<ReadModelLocation> {
  return testsRunOnPostgres() ? { kind: "postgres", url: await database() } : { kind: "sqlite", path };
}

/** So many databases are made by a worker before one is used again: a test that is under way may have several. */
const keptLimit = 8;

/** A database of this worker, and a session in it: each would take as long to make as a test. */
interface KeptDatabase {
  readonly url: string;
  readonly client: pg.Client;
}

/** What this worker has made for services, the one that was given away longest ago first. */
const ofServices: KeptDatabase[] = [];
/** And what was given away empty. */
const emptied: KeptDatabase[] = [];

/** An empty database on the tests' PostgreSQL server: one that is not used any more, or a new one. @returns its address. */
export function newDatabase(): Promise<string> {
  return freeDatabase(emptied, dropping);
}

/** A database as a service finds it that has started before, and has heard of nothing. @returns its address. */
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

/** Making the tables of a service takes longer than most tests, so they stay, and their checkpoints say that nothing is in them. */
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
  // Quicker than by its log, which is the default, since nothing is synced.
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

/** The address of the tests' PostgreSQL server. */
export function postgresForTests(): string {
  const url = process.env[serverVariable];
  if (url === undefined)
    throw new Error(
      `${serverVariable} is not set: run this test through its vitest project, which starts PostgreSQL`,
    );
  return url;
}
