import type { DomainEvent } from "@hostledger/core";
import { isMended, type CodecOfCategory, type EventStore } from "@hostledger/event-store";

import type { StoppedStream } from "../storage/stopped-streams.ts";
import type { ProjectionSlot } from "./projection-slot.ts";
import { unreadableCauseOf } from "./unreadable-cause.ts";

interface ResumingParts {
  readonly store: Pick<EventStore, "read" | "lineage">;
  readonly codecOf: CodecOfCategory;
}

/** Finds the streams that stopped and may go on. */
export class Resuming {
  readonly #parts: ResumingParts;
  /** What only a handler could not take is tried again when the process starts, since the program may be another one. */
  #isStart = true;

  constructor(parts: ResumingParts) {
    this.#parts = parts;
  }

  /**
   * The projections in whose tables a stream stopped that may go on: this version can read the event, or staff had it passed over.
   * Their tables are built anew, since later events of other streams may stand in the same rows.
   * @throws what the store throws.
   */
  async slots<Event extends DomainEvent>(
    slots: readonly ProjectionSlot<Event>[],
  ): Promise<readonly ProjectionSlot<Event>[]> {
    const resumable: ProjectionSlot<Event>[] = [];
    for (const slot of slots) if (await this.#mayAnyGoOn(slot)) resumable.push(slot);
    this.#isStart = false;
    return resumable;
  }

  async #mayAnyGoOn<Event extends DomainEvent>({ live }: ProjectionSlot<Event>): Promise<boolean> {
    for (const stop of live?.stopped ?? []) if (await this.#mayGoOn(stop)) return true;
    return false;
  }

  async #mayGoOn({ stream, revision, eventId, isReadable }: StoppedStream): Promise<boolean> {
    const { store, codecOf } = this.#parts;
    if (await isMended(store, { stream, id: eventId })) return true;
    for await (const event of store.read(stream, { from: revision, limit: 1 })) {
      if (event.id !== eventId) return true;
      return isReadable ? this.#isStart : (await unreadableCauseOf(store, event, codecOf)) === undefined;
    }
    // The store has the event no longer.
    return true;
  }
}
