import type { Kysely } from "kysely";
import type { ReadonlyKysely } from "kysely/readonly";

import type { ReadModelDatabase } from "./read-model-database.ts";

/**
 * Returns Kysely without write operations; a read-only connection also refuses writes by raw SQL. The cast is Kysely's
 * documented way.
 */
export function readonlyKysely<Schema>(db: Kysely<Schema>): ReadonlyKysely<Schema> {
  return db as never;
}

/**
 * Limits read models to some tables, for queries that several services share. Kysely's types cannot express that a
 * database with more tables is readable as one with fewer.
 */
export function tablesOf<Part, Tables extends Part>(
  database: ReadModelDatabase<Tables>,
): ReadModelDatabase<Part> {
  return database as never;
}
