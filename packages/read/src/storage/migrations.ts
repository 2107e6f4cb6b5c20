import type { UnreadableKind } from "@hostledger/core";
import type { ColumnDataType, Kysely } from "kysely";
import { Migrator, type Migration } from "kysely/migration";
import { defined } from "@hostledger/runtime";

import { messageOf, ReadModelError } from "../errors.ts";

/** The tables of every read-model database beside the projections' tables. */
export interface Bookkeeping {
  /** A single row with the owning service. */
  readonly read_models: { readonly service: string };
  readonly checkpoints: CheckpointTable;
  readonly stopped_streams: StoppedStreamTable;
}

/** The columns of the checkpoints that queries may read. */
export interface Builds {
  readonly checkpoints: Pick<CheckpointTable, "projection" | "generation">;
}

interface CheckpointTable {
  readonly projection: string;
  readonly version: number;
  /** Position up to which the tables reflect all events; -1 before the first. */
  readonly position: number | bigint;
  /** Definitions of the existing tables as JSON. */
  readonly tables: string;
  /** Number of builds; part of index names, to keep them unique. */
  readonly generation: number;
  /** Reason why the projection is stopped; null while it runs. */
  readonly parked: string | null;
  /** The last event up to the position as JSON; null before the first, or if an earlier version wrote the checkpoint. */
  readonly last_event: string | null;
}

interface StoppedStreamTable {
  readonly projection: string;
  readonly stream: string;
  readonly revision: number | bigint;
  readonly position: number | bigint;
  readonly event_id: string;
  readonly type: string;
  readonly kind: UnreadableKind;
  /** 1 if the event can be read, but not applied to this projection. */
  readonly readable: number;
  readonly reason: string;
  readonly since: string;
  readonly account_id: number | null;
}

/** Append-only list of numbered migrations. Projections' tables are created from their definitions instead. */
const migrations = (position: ColumnDataType): Readonly<Record<string, Migration>> => ({
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
        .addColumn("position", position, (column) => column.notNull())
        .addColumn("tables", "text", (column) => column.notNull())
        .addColumn("generation", "integer", (column) => column.notNull())
        .execute();
    },
  },
  "0002-parked": {
    up: async (db) => {
      await db.schema.alterTable("checkpoints").addColumn("parked", "text").execute();
    },
  },
  "0003-lineage": {
    up: async (db) => {
      await db.schema.alterTable("checkpoints").addColumn("last_event", "text").execute();
    },
  },
  "0004-stopped-streams": {
    up: async (db) => {
      await db.schema
        .createTable("stopped_streams")
        .addColumn("projection", "text", (column) => column.notNull())
        .addColumn("stream", "text", (column) => column.notNull())
        .addColumn("revision", position, (column) => column.notNull())
        .addColumn("position", position, (column) => column.notNull())
        .addColumn("event_id", "text", (column) => column.notNull())
        .addColumn("type", "text", (column) => column.notNull())
        .addColumn("kind", "text", (column) => column.notNull())
        .addColumn("readable", "integer", (column) => column.notNull())
        .addColumn("reason", "text", (column) => column.notNull())
        .addColumn("since", "text", (column) => column.notNull())
        .addColumn("account_id", position)
        .addPrimaryKeyConstraint("stopped_streams_key", ["projection", "stream"])
        .execute();
    },
  },
});

export interface MigratedDatabase {
  readonly db: Kysely<Bookkeeping>;
  readonly place: string;
  readonly schema?: string;
  readonly positionType: ColumnDataType;
}

/** Migrates the bookkeeping tables. @throws ReadModelError if a newer version wrote the database. */
export async function migrate({ db, place, schema, positionType }: MigratedDatabase): Promise<void> {
  const known = migrations(positionType);
  const applied = await appliedMigrations(db, schema);
  refuseNewerDatabase(place, applied, known);
  if (applied.length === Object.keys(known).length) return;
  const migrator = new Migrator({
    db,
    provider: { getMigrations: () => Promise.resolve({ ...known }) },
    ...defined({ migrationTableSchema: schema }),
  });
  const { error } = await migrator.migrateToLatest();
  if (error !== undefined)
    throw new ReadModelError(`${place} could not be brought up to date: ${messageOf(error)}`, {
      cause: error,
    });
}

async function appliedMigrations(
  db: Kysely<Bookkeeping>,
  schema: string | undefined,
): Promise<readonly string[]> {
  const tables = await db.introspection.getTables({ withInternalKyselyTables: true });
  const isOurs = (table: { readonly schema?: string }): boolean =>
    schema === undefined || table.schema === schema;
  if (!tables.some((table) => table.name === "kysely_migration" && isOurs(table))) return [];
  const applied = await db
    .$extendTables<{ kysely_migration: { name: string } }>()
    .selectFrom("kysely_migration")
    .select("name")
    .execute();
  return applied.map(({ name }) => name);
}

function refuseNewerDatabase(place: string, applied: readonly string[], known: object): void {
  const unknown = applied.filter((name) => !(name in known));
  if (unknown.length === 0) return;
  throw new ReadModelError(
    `${place} was written by a newer version of Hostledger (it has the migration ${unknown.join(", ")}). ` +
      "Start that version, or move it away: read models are built again from the events.",
  );
}

/** Assigns a new database to a service. @throws ReadModelError if the database belongs to another service. */
export async function claim(db: Kysely<Bookkeeping>, place: string, service: string): Promise<void> {
  const claimed = await db.selectFrom("read_models").select("service").executeTakeFirst();
  if (claimed === undefined) await db.insertInto("read_models").values({ service }).execute();
  else if (claimed.service !== service)
    throw new ReadModelError(`${place} belongs to the service ${claimed.service}, not to ${service}`);
}
