import { join } from "node:path";

import type { EventStore } from "@hostledger/store";
import { directoryOfTest } from "@hostledger/runtime/testing";
import { sql, type RawBuilder } from "kysely";
import { onTestFinished } from "vitest";

import type { AnyProjection } from "../projection.ts";
import { createProjector } from "../projector/create-projector.ts";
import type { Projector, ProjectorOptions } from "../projector/projector.ts";
import type { ReadModelDatabase } from "../read-model-database.ts";
import { openReadModels, type ReadModelLocation } from "../read-models.ts";
import type { Schema } from "../tables.ts";
import { emptyLocation, testsRunOnPostgres } from "./test-location.ts";
import { planCodec, type offerTables, type PlanEvent, type planTables } from "./plans.fixture.ts";

export type PlanSchema = Schema<typeof planTables> & Schema<typeof offerTables>;

/** Returns a path for a database that is removed after the test. */
export function temporaryPath(): string {
  return join(directoryOfTest(), "plans.sqlite");
}

/** Returns a location for a database that is removed after the test, on the engine of the test run. */
export function temporaryLocation(): Promise<ReadModelLocation> {
  return emptyLocation(temporaryPath());
}

export async function openPlans(location: ReadModelLocation): Promise<ReadModelDatabase<PlanSchema>> {
  const database = await openReadModels<PlanSchema>({ location, service: "plans" });
  onTestFinished(() => database.close());
  return database;
}

export interface RunningProjector {
  readonly projector: Projector;
  /** Ends the run and waits for its end. @throws the error of a failed run. */
  readonly stop: () => Promise<void>;
}

export type HarnessOptions = Pick<
  ProjectorOptions<PlanEvent>,
  "batchSize" | "logger" | "eventLoop" | "restMs" | "timing"
> &
  Partial<Pick<ProjectorOptions<PlanEvent>, "codecOf">>;

export function planProjector(
  eventStore: EventStore,
  database: ReadModelDatabase<PlanSchema>,
  projections: readonly AnyProjection<PlanEvent>[],
  options: HarnessOptions = {},
): Promise<Projector> {
  return createProjector<PlanEvent>({
    store: eventStore,
    database,
    codec: planCodec,
    codecOf: () => planCodec,
    projections,
    ...options,
  });
}

/** Makes a projector and runs it until the end of the test or `stop`. */
export async function startProjector(
  eventStore: EventStore,
  database: ReadModelDatabase<PlanSchema>,
  projections: readonly AnyProjection<PlanEvent>[],
  options: HarnessOptions = {},
): Promise<RunningProjector> {
  const projector = await planProjector(eventStore, database, projections, options);
  const ended = new AbortController();
  const running = projector.run(ended.signal);
  const stop = async (): Promise<void> => {
    ended.abort();
    await running;
  };
  onTestFinished(() => stop().catch(() => undefined));
  // A run that fails before it is ready must fail the test instead of letting it wait.
  await Promise.race([projector.ready(), running]);
  return { projector, stop };
}

/** SQL and error texts of each engine. */
interface EngineWords {
  /** Makes every write of a checkpoint fail with "power cut". */
  readonly cutPower: readonly string[];
  readonly restorePower: readonly string[];
  /** Selects the indexes of a table. */
  indexesOf(table: string): RawBuilder<unknown>;
  /** Selects all tables except the migrations'. */
  readonly tables: RawBuilder<{ readonly name: string }>;
  /** The engine's error text for a violated unique index. */
  readonly notUnique: string;
}

const sqliteWords: EngineWords = {
  cutPower: [
    `create trigger power_cut before update on checkpoints begin select raise(abort, 'power cut'); end`,
  ],
  restorePower: ["drop trigger power_cut"],
  indexesOf: (name) => sql`select sql from sqlite_master where type = 'index' and tbl_name = ${name}`,
  tables: sql`select name from sqlite_master where type = 'table' and name not like 'kysely%'`,
  notUnique: "UNIQUE constraint failed",
};

const postgresWords: EngineWords = {
  cutPower: [
    // An error code of a system failure, not of data.
    `create function power_cut() returns trigger language plpgsql as
      $$ begin raise exception 'power cut' using errcode = '58030'; end $$`,
    "create trigger power_cut before update on checkpoints for each row execute function power_cut()",
  ],
  restorePower: ["drop trigger power_cut on checkpoints", "drop function power_cut"],
  indexesOf: (name) =>
    sql`select indexdef from pg_indexes where schemaname = 'plans' and tablename = ${name} and indexname not like '%pkey%'`,
  tables: sql`select tablename as name from pg_tables where schemaname = 'plans' and tablename not like 'kysely%'`,
  notUnique: "could not create unique index",
};

/** Returns the names of all tables except the migrations'. */
export async function tableNames(database: ReadModelDatabase<PlanSchema>): Promise<readonly string[]> {
  const { rows } = await engineWords.tables.execute(database.queries as never);
  return rows.map(({ name }) => name).toSorted();
}

export const engineWords = testsRunOnPostgres() ? postgresWords : sqliteWords;
