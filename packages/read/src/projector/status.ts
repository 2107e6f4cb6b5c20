import type { DomainEvent } from "@hostledger/core";
import type { EventStore, Position } from "@hostledger/store";

import type { Checkpoint } from "../storage/checkpoints.ts";
import type { ProjectionStorage } from "../storage/storage.port.ts";
import { beforeFirst } from "./position.ts";
import type { ProjectionSlot } from "./projection-slot.ts";
import type { ProjectionStatus } from "./projector.ts";

interface StatusSources {
  readonly store: EventStore;
  readonly storage: ProjectionStorage;
}

export async function statusesOf<Event extends DomainEvent>(
  slots: readonly ProjectionSlot<Event>[],
  { store, storage }: StatusSources,
  isCaughtUp: boolean,
): Promise<readonly ProjectionStatus[]> {
  const last = (await store.lastPosition()) ?? beforeFirst;
  const kept = await storage.exclusively(() => storage.checkpoints.all());
  const statuses: ProjectionStatus[] = [];
  for (const slot of slots) {
    statuses.push(await statusOf(slot, { storage, last, kept, isCaughtUp }));
  }
  return statuses;
}

async function statusOf<Event extends DomainEvent>(
  slot: ProjectionSlot<Event>,
  {
    storage,
    last,
    kept,
    isCaughtUp,
  }: {
    readonly storage: ProjectionStorage;
    readonly last: Position;
    readonly kept: readonly Checkpoint[];
    readonly isCaughtUp: boolean;
  },
): Promise<ProjectionStatus> {
  const health = slot.health(isCaughtUp);
  const stored = kept.find(({ projection }) => projection === slot.name)?.position;
  const position = slot.live?.position ?? stored ?? beforeFirst;
  const countRows = async (): Promise<number> => storage.tables(slot.projection.tables).countRows();
  return {
    ...health,
    version: slot.projection.version,
    position: position === beforeFirst ? undefined : position,
    behind: health.state === "live" || position >= last ? 0n : last - position,
    stopped: slot.stopped,
    rows: slot.position === undefined ? 0 : await storage.exclusively(countRows),
  };
}
