import type { Kysely } from "kysely";
import type { ReadonlyKysely } from "kysely/readonly";

import type { ReadModelDatabase } from "./read-model-database.ts";

/**
 * Kysely for reading: the type has no operation that writes (and a connection that reads only refuses those that raw SQL
 * could smuggle in). The cast is how Kysely says a read-only instance is made.
 */
export function readonlyKysely<Schema>(db: Kysely<Schema>): ReadonlyKysely<Schema> {
  return db as never;
}

/**
 * The same read models, of which only these tables are to be seen: for queries that several services share. Kysely's types
 * cannot say that a database with more tables is one with fewer; for reading it is.
 */
export function tablesOf<Part, Tables extends Part>(
  database: ReadModelDatabase<Tables>,
): ReadModelDatabase<Part> {
  return database as never;
}
