import type { DomainEvent } from "@hostledger/core";
import { isMended, type CodecOfCategory, type EventStore } from "@hostledger/store";

import type { StoppedStream } from "../storage/stopped-streams.ts";
import type { ProjectionSlot } from "./projection-slot.ts";
import { unreadableCauseOf } from "./unreadable-cause.ts";

interface ResumingParts {
  readonly store: Pick<EventStore, "read" | "lineage">;
  readonly codecOf: CodecOfCategory;
}

/** Finds stopped streams that can continue. */
export class ResumableStreams {
  readonly #parts: ResumingParts;
  /**
   * True until the first check. Events that a handler rejected are retried after a start, because the program may be
   * newer.
   */
  #isStart = true;

  constructor(parts: ResumingParts) {
    this.#parts = parts;
  }

  /**
   * Returns the projections with a stopped stream that can go on: this version reads the event, or staff had it skipped.
   * Their tables are rebuilt, because later events of other streams may have changed the same rows.
   * @throws any error of the store.
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
    // The store no longer has the event.
    return true;
  }
}
