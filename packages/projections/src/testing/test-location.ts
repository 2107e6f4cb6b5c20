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

/** Makes an empty database on the tests' PostgreSQL server. @returns its address. */
export async function newDatabase(): Promise<string> {
  const url = postgresForTests();
  const name = `test_${randomUUID().replaceAll("-", "")}`;
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(`create database ${name}`);
  await client.end();
  return Object.assign(new URL(url), { pathname: `/${name}` }).href;
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
