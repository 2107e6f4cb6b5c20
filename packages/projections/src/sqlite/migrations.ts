import type { Kysely } from "kysely";
import { Migrator, type Migration } from "kysely/migration";

import { ReadModelError } from "../errors.ts";

/** The tables that every read-model database has beside those of its projections. */
export interface Bookkeeping {
  /** One row: whose read models these are. */
  readonly read_models: { readonly service: string };
  readonly checkpoints: CheckpointTable;
}

interface CheckpointTable {
  readonly projection: string;
  readonly version: number;
  /** The last position whose events the tables reflect; -1 before the first. */
  readonly position: number | bigint;
  /** The definitions of the tables as created, JSON. */
  readonly tables: string;
  /** How often the tables have been built: it makes the names of their indexes unique. */
  readonly generation: number;
}

/** Numbered, append-only. The projections' own tables are not here: they come from their definitions. */
const migrations: Readonly<Record<string, Migration>> = {
  "0001-bookkeeping": {
    up: async (db) => {
      await db.schema
        .createTable("read_models")
        .addColumn("service", "text", (column) => column.primaryKey())
        .execute();
      await db.schema
        .createTable("checkpoints")
        .addColumn("projection", "text", (column) => column.primaryKey())
        .addColumn("version", "integer", (column) => column.notNull())
        .addColumn("position", "integer", (column) => column.notNull())
        .addColumn("tables", "text", (column) => column.notNull())
        .addColumn("generation", "integer", (column) => column.notNull())
        .execute();
    },
  },
};

/**
 * Brings the bookkeeping tables up to date.
 * @throws ReadModelError the file was written by a newer version.
 */
export async function migrate(db: Kysely<Bookkeeping>, path: string): Promise<void> {
  await refuseNewerDatabase(db, path);
  const migrator = new Migrator({
    db,
    provider: { getMigrations: () => Promise.resolve({ ...migrations }) },
  });
  const { error } = await migrator.migrateToLatest();
  if (error !== undefined)
    throw new ReadModelError(`${path} could not be brought up to date`, { cause: error });
}

async function refuseNewerDatabase(db: Kysely<Bookkeeping>, path: string): Promise<void> {
  const tables = await db.introspection.getTables({ withInternalKyselyTables: true });
  if (!tables.some(({ name }) => name === "kysely_migration")) return;
  const applied = await db
    .$extendTables<{ kysely_migration: { name: string } }>()
    .selectFrom("kysely_migration")
    .select("name")
    .execute();
  const unknown = applied.map(({ name }) => name).filter((name) => !(name in migrations));
  if (unknown.length === 0) return;
  throw new ReadModelError(
    `${path} was written by a newer version of Hostledger (it has the migration ${unknown.join(", ")}). ` +
      "Start that version, or move the file away: read models are built again from the events.",
  );
}
