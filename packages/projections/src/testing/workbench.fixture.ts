import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { EventStore } from "@hostledger/event-store";
import { onTestFinished } from "vitest";

import type { AnyProjection } from "../projection.ts";
import { createProjector } from "../projector/create-projector.ts";
import type { Projector, ProjectorOptions } from "../projector/projector.ts";
import { openReadModels, type ReadModelDatabase } from "../sqlite/open-read-models.ts";
import type { Schema } from "../tables.ts";
import { planCodec, type offerTables, type PlanEvent, type planTables } from "./plans.fixture.ts";

export type PlanSchema = Schema<typeof planTables> & Schema<typeof offerTables>;

/** A path for a database that is gone after the test. */
export function temporaryPath(): string {
  const directory = mkdtempSync(join(tmpdir(), "hostledger-projections-"));
  onTestFinished(() => {
    rmSync(directory, { recursive: true });
  });
  return join(directory, "plans.sqlite");
}

/** Opens read models that are closed after the test. */
export async function openPlans(path: string): Promise<ReadModelDatabase<PlanSchema>> {
  const database = await openReadModels<PlanSchema>({ path, service: "plans" });
  onTestFinished(() => database.close());
  return database;
}

/** A projector at work. */
export interface RunningProjector {
  readonly projector: Projector;
  /** Ends the run and answers when it has ended, with its error if it failed. */
  readonly stop: () => Promise<void>;
}

/** What a spec sets up differently. */
export type WorkbenchOptions = Pick<ProjectorOptions<PlanEvent>, "batchSize" | "logger">;

/** Creates a projector and lets it run until the test or `stop` ends it. */
export async function startProjector(
  eventStore: EventStore,
  database: ReadModelDatabase<PlanSchema>,
  projections: readonly AnyProjection<PlanEvent>[],
  options: WorkbenchOptions = {},
): Promise<RunningProjector> {
  const projector = await createProjector<PlanEvent>({
    store: eventStore,
    database,
    codec: planCodec,
    projections,
    streamPrefixes: ["plan-"],
    ...options,
  });
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
