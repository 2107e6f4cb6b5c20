import type { DomainEvent, EventCodec } from "@hostledger/core";
import type { Position, RecordedEvent } from "@hostledger/event-store";

import type { ProjectionStorage } from "../storage/storage.port.ts";
import { EventInput } from "./event-input.ts";
import { markOf } from "./lineage.ts";
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
 * An event that a handler or its table cannot take parks that materialisation: the transaction is rolled back and done again
 * with that one ending before the event, so that the others lose nothing and none holds half of an event. An engine that
 * writes the rows of many events together cannot tell whose row is at fault; then the chunk is done again event by event.
 *
 * @param targetsNow who takes part, asked when nobody else is at the tables.
 * @param afterwards called after the commit, before anybody else gets to the tables.
 * @returns the materialisations that were parked.
 * @throws what the database throws when it is the database that fails (disk full, I/O); nothing was written then.
 */
export function commitBatch<Event extends DomainEvent>(
  storage: ProjectionStorage,
  codec: EventCodec<Event>,
  chunk: EventChunk,
  targetsNow: () => Targets<Event>,
  afterwards: () => void = () => undefined,
): Promise<readonly Materialisation<Event>[]> {
  return storage.exclusively(async () => {
    const targets = targetsNow();
    const all = [...targets.live, ...targets.beside];
    const newlyParked: Materialisation<Event>[] = [];
    for (let oneByOne = false; ;) {
      try {
        await storage.transaction(async () => {
          await applyAll(storage, { codec, all, oneByOne }, chunk.events);
          await moveCheckpoints(storage, chunk, targets, newlyParked);
        });
        for (const materialisation of all) {
          const reached = positionAfter(materialisation, chunk);
          materialisation.mark = markAt(chunk, reached) ?? materialisation.mark;
          materialisation.position = reached;
        }
        afterwards();
        return newlyParked;
      } catch (error) {
        for (const materialisation of all) materialisation.discard();
        const target = error instanceof PoisonousEvent ? all[error.target] : undefined;
        if (error instanceof PoisonousEvent && target !== undefined) {
          if (target.parkAt(error.event, error.cause)) newlyParked.push(target);
        } else if (error instanceof PoisonousChunk && !oneByOne) oneByOne = true;
        else throw error instanceof PoisonousChunk ? error.cause : error;
      }
    }
  });
}

async function moveCheckpoints<Event extends DomainEvent>(
  storage: ProjectionStorage,
  chunk: EventChunk,
  { live }: Targets<Event>,
  newlyParked: readonly Materialisation<Event>[],
): Promise<void> {
  const moved = live.filter(
    (materialisation) => positionAfter(materialisation, chunk) > materialisation.position,
  );
  for (const [reached, together] of Map.groupBy(moved, (each) => positionAfter(each, chunk))) {
    const names = together.map(({ projection }) => projection.name);
    await storage.checkpoints.advance(names, reached, markAt(chunk, reached));
  }
  for (const { projection, parked } of newlyParked.filter((each) => live.includes(each)))
    await storage.checkpoints.park(projection.name, parked?.reason ?? null);
  await storage.announce(chunk.position);
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

/** Some row of the chunk cannot be written. */
class PoisonousChunk extends Error {}

async function applyAll<Event extends DomainEvent>(
  storage: ProjectionStorage,
  work: {
    readonly codec: EventCodec<Event>;
    readonly all: readonly Materialisation<Event>[];
    readonly oneByOne: boolean;
  },
  events: readonly RecordedEvent[],
): Promise<void> {
  for (const recorded of events) {
    const input = new EventInput(recorded, work.codec);
    for (const [index, materialisation] of work.all.entries()) {
      if (!materialisation.wants(recorded.position)) continue;
      try {
        materialisation.apply(input);
        if (work.oneByOne) await materialisation.flush();
      } catch (error) {
        if (storage.isDatabaseFailure(error)) throw error;
        throw new PoisonousEvent(index, recorded, error);
      }
    }
  }
  for (const materialisation of work.all) {
    try {
      await materialisation.flush();
    } catch (error) {
      if (storage.isDatabaseFailure(error)) throw error;
      throw new PoisonousChunk("a row could not be written", { cause: error });
    }
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

/** The mark of the last event of a chunk up to a position; null where it has none. */
function markAt({ events }: EventChunk, reached: Position): string | null {
  const last = events.findLast(({ position }) => position <= reached);
  return last === undefined ? null : markOf(last);
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
