import type { DomainEvent } from "@hostledger/core";
import type { Position } from "@hostledger/event-store";

import { ReadModelError } from "../errors.ts";
import type { AnyProjection } from "../projection.ts";
import { definitionText } from "../sqlite/checkpoints.ts";
import type { ProjectionStorage } from "../sqlite/open-read-models.ts";
import { TableSet } from "../sqlite/table-set.ts";
import { Materialisation } from "./materialisation.ts";

/** What a projection is doing. */
export type ProjectionState = "live" | "catching-up" | "rebuilding" | "parked";

/** A projection's place in its projector: its live tables, or the reason why there are none worth following. */
export class ProjectionSlot<Event extends DomainEvent> {
  readonly projection: AnyProjection<Event>;
  /** Undefined while the tables are those of another version, or were never built. */
  live: Materialisation<Event> | undefined;
  rebuilding = false;
  /** Why the last build from the start failed. */
  buildFailure: string | undefined;

  constructor(projection: AnyProjection<Event>) {
    this.projection = projection;
  }

  get name(): string {
    return this.projection.name;
  }

  /** The sentence why it stands still, if it does. */
  get parkedReason(): string | undefined {
    return this.live === undefined ? this.buildFailure : this.live.parked?.reason;
  }

  state(caughtUp: boolean): ProjectionState {
    if (this.rebuilding) return "rebuilding";
    if (this.parkedReason !== undefined) return "parked";
    if (this.live === undefined) return "rebuilding";
    return caughtUp ? "live" : "catching-up";
  }
}

/**
 * Finds a projection's tables as an earlier run left them. Tables of another version or shape, or ahead of the log
 * (which then is another log), are not followed: they stay readable as they are and are built anew.
 *
 * @throws ReadModelError the tables were made by a newer version of the projection.
 */
export function openSlot<Event extends DomainEvent>(
  storage: ProjectionStorage,
  projection: AnyProjection<Event>,
  lastPosition: Position,
): ProjectionSlot<Event> {
  const slot = new ProjectionSlot(projection);
  const { name, version, tables } = projection;
  const checkpoint = storage.checkpoints.load(name);
  const tableSet = new TableSet(storage.connection, storage.compiler, tables);
  if (checkpoint === undefined) {
    // Queries find empty tables instead of an error until the first build is over.
    storage.connection.transaction(() => {
      tableSet.drop();
      tableSet.create();
    });
    return slot;
  }
  if (checkpoint.version > version) {
    throw new ReadModelError(
      `${storage.path} was written by a newer version of Hostledger: its projection ${name} has version ` +
        `${String(checkpoint.version)}, this one ${String(version)}. Start that version, or move the file away.`,
    );
  }
  const usable =
    checkpoint.version === version &&
    checkpoint.tables === definitionText(tables) &&
    checkpoint.position <= lastPosition;
  if (usable) slot.live = new Materialisation(projection, tableSet, checkpoint.position);
  return slot;
}
