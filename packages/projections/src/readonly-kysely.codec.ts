import type { Kysely } from "kysely";
import type { ReadonlyKysely } from "kysely/readonly";

/**
 * Kysely for reading: the type has no operation that writes (and a connection that reads only refuses those that raw SQL
 * could smuggle in). The cast is how Kysely says a read-only instance is made.
 */
export function readonlyKysely<Schema>(db: Kysely<Schema>): ReadonlyKysely<Schema> {
  return db as never;
}
