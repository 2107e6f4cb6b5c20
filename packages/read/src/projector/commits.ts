import { mendingAggregate, type DomainEvent } from "@hostledger/core";

import { commitBatch, type EventChunk, type Targets } from "./commit-batch.ts";
import type { ProjectionSlot } from "./projection-slot.ts";
import type { ProjectorOptions } from "./projector.ts";
import { Stopping } from "./stopping.ts";

/** Prefix of the streams in which staff have events skipped. */
export const mendingPrefix = `${mendingAggregate.category}-`;

/** Commits the chunks of a projector, logs stopped streams, and counts events of other software. */
export class Commits<Event extends DomainEvent> {
  readonly stopping: Stopping;
  readonly #options: ProjectorOptions<Event>;
  #foreign = 0;

  constructor(options: ProjectorOptions<Event>) {
    this.#options = options;
    this.stopping = new Stopping(options.store, options.codecOf);
  }

  get foreign(): number {
    return this.#foreign;
  }

  async commit(chunk: EventChunk, targetsNow: () => Targets<Event>, afterwards?: () => void): Promise<void> {
    const { codec, codecOf, database, logger, store } = this.#options;
    const seen = { ...chunk, series: store.lineage?.series };
    const parts = { storage: database.storage, reading: { codec, codecOf }, stopping: this.stopping };
    const { stops, foreign } = await commitBatch(parts, seen, targetsNow, afterwards);
    this.#foreign += foreign;
    for (const { projection, reason } of stops)
      logger?.warn({ projection }, `a stream stopped in the read model ${projection} before ${reason}`);
  }
}

/** True if staff had an event skipped that stopped a stream of these tables. */
export function isMending(
  { events }: EventChunk,
  slots: readonly Pick<ProjectionSlot<DomainEvent>, "stopped">[],
): boolean {
  const isMended = (stream: string): boolean =>
    slots.some(({ stopped }) => stopped.some((stop) => `${mendingPrefix}${stop.stream}` === stream));
  return events.some(({ stream }) => stream.startsWith(mendingPrefix) && isMended(stream));
}
