import type { DomainEvent, SkippedEvent } from "@hostledger/core";
import type { Position } from "@hostledger/event-store";

import type { Checkpoint } from "../storage/checkpoints.ts";
import type { ProjectionStorage } from "../storage/storage.port.ts";
import { beforeFirst } from "./position.ts";
import type { ProjectionSlot } from "./projection-slot.ts";
import type { ProjectionHealth, ProjectionStatus } from "./projector.ts";

/** What the status of a projection is told from, beside its slot. */
export interface StatusSources {
  readonly storage: ProjectionStorage;
  /** The last position of the log. */
  readonly last: Position;
  /** The checkpoints of the database. */
  readonly kept: readonly Checkpoint[];
  readonly health: ProjectionHealth;
  readonly skipped: readonly SkippedEvent[];
}

/** All there is to tell about a projection. */
export async function statusOf<Event extends DomainEvent>(
  slot: ProjectionSlot<Event>,
  { storage, last, kept, health, skipped }: StatusSources,
): Promise<ProjectionStatus> {
  const stored = kept.find(({ projection }) => projection === slot.name)?.position;
  const position = slot.live?.position ?? stored ?? beforeFirst;
  const countRows = async (): Promise<number> => storage.tables(slot.projection.tables).countRows();
  return {
    ...health,
    version: slot.projection.version,
    position: position === beforeFirst ? undefined : position,
    behind: health.state === "live" || position >= last ? 0n : last - position,
    skipped,
    rows: slot.position === undefined ? 0 : await storage.exclusively(countRows),
  };
}
