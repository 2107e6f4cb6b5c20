import type { DomainEvent, EventCodec } from "@hostledger/core";
import type { Position, RecordedEvent } from "@hostledger/event-store";

import type { ProjectionStorage } from "../sqlite/open-read-models.ts";
import { isDatabaseFailure } from "../sqlite/sqlite-connection.ts";
import { EventInput } from "./event-input.ts";
import type { Materialisation } from "./materialisation.ts";

/** A run of events, at most so many as one transaction takes. */
export interface EventChunk {
  readonly events: readonly RecordedEvent[];
  /** Everything up to here has been seen. */
  readonly position: Position;
}

/**
 * Writes a chunk into several materialisations and moves the checkpoints of the live ones, in one transaction.
 *
 * An event that a handler cannot take parks that materialisation: the transaction is rolled back and done again with
 * that one ending before the event, so that the others lose nothing and none holds half of an event.
 *
 * @returns the materialisations that were parked.
 * @throws what the database throws when it is the database that fails (disk full, I/O); nothing was written then.
 */
export function commitBatch<Event extends DomainEvent>(
  storage: ProjectionStorage,
  codec: EventCodec<Event>,
  chunk: EventChunk,
  targets: Targets<Event>,
): readonly Materialisation<Event>[] {
  const all = [...targets.live, ...targets.beside];
  const newlyParked: Materialisation<Event>[] = [];
  for (;;) {
    try {
      storage.connection.transaction(() => {
        applyAll(chunk.events, all, codec);
        for (const live of targets.live) {
          const reached = positionAfter(live, chunk);
          if (reached > live.position) storage.checkpoints.advance(live.projection.name, reached);
        }
      });
      for (const materialisation of all) materialisation.position = positionAfter(materialisation, chunk);
      return newlyParked;
    } catch (error) {
      if (!(error instanceof PoisonousEvent)) throw error;
      const target = all[error.target];
      if (target === undefined) throw error;
      target.parkAt(error.event, error.cause);
      newlyParked.push(target);
    }
  }
}

/** Who takes part in a commit. Tables beside the live ones have no checkpoint until they take their place. */
export interface Targets<Event extends DomainEvent> {
  readonly live: readonly Materialisation<Event>[];
  readonly beside: readonly Materialisation<Event>[];
}

/** Carries the failure of one handler out of the transaction. */
class PoisonousEvent extends Error {
  /** Index of the materialisation. */
  readonly target: number;
  readonly event: RecordedEvent;

  constructor(target: number, event: RecordedEvent, cause: unknown) {
    super("a handler failed", { cause });
    this.target = target;
    this.event = event;
  }
}

function applyAll<Event extends DomainEvent>(
  events: readonly RecordedEvent[],
  all: readonly Materialisation<Event>[],
  codec: EventCodec<Event>,
): void {
  for (const recorded of events) {
    const input = new EventInput(recorded, codec);
    all.forEach((materialisation, index) => {
      if (!materialisation.wants(recorded.position)) return;
      try {
        materialisation.apply(input);
      } catch (error) {
        if (isDatabaseFailure(error)) throw error;
        throw new PoisonousEvent(index, recorded, error);
      }
    });
  }
}

/** How far the chunk brings a materialisation: to its end, or to the last event before the one it is parked at. */
function positionAfter<Event extends DomainEvent>(
  target: Materialisation<Event>,
  chunk: EventChunk,
): Position {
  const { parked, position } = target;
  if (parked === undefined) return chunk.position > position ? chunk.position : position;
  const last = chunk.events.findLast((event) => event.position < parked.position);
  return last !== undefined && last.position > position ? last.position : position;
}

/** Cuts what the subscription delivers into transactions of at most `size` events. */
export function* chunksOf(
  batch: { readonly events: readonly RecordedEvent[]; readonly position: Position },
  size: number,
): Generator<EventChunk> {
  let start = 0;
  for (; start + size < batch.events.length; start += size) {
    const events = batch.events.slice(start, start + size);
    const last = events.at(-1);
    if (last !== undefined) yield { events, position: last.position };
  }
  yield { events: start === 0 ? batch.events : batch.events.slice(start), position: batch.position };
}
