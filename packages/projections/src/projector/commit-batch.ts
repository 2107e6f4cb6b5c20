import type { DomainEvent, EventCodec } from "@hostledger/core";
import type { Position, RecordedEvent } from "@hostledger/event-store";

import type { ProjectionStorage } from "../storage/storage.port.ts";
import { EventInput } from "./event-input.ts";
import { markOf } from "./lineage.ts";
import type { Materialisation } from "./materialisation.ts";
import { allEnded } from "./side-by-side.ts";

/**
 * Events that a checkpoint may be behind in its database where none of them concerned the tables: so many are read again at the
 * next start, and nothing comes of it.
 */
const unstoredLimit = 1_000;

/** A run of events, at most so many as one transaction takes. */
export interface EventChunk {
  readonly events: readonly RecordedEvent[];
  /** Everything up to here has been seen. */
  readonly position: Position;
  /** How often staff had accepted an older copy of the store when the chunk was read. Default: 0. */
  readonly series?: number | undefined;
}

/**
 * Writes a chunk into several materialisations and moves the checkpoints of the live ones, in one transaction. A chunk that
 * concerns none of them costs no transaction: they have come further, and their checkpoints follow with the next rows, or move
 * by themselves where other processes look at them.
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
    const inputs = chunk.events.map((recorded) => new EventInput(recorded, codec));
    if (mayPass(all, inputs)) {
      // No rows go with them: each checkpoint may move by itself.
      if (storage.isWatched) await storage.apart(() => moveCheckpoints(storage, chunk, targets, newlyParked));
      moveOn(all, chunk);
      for (const materialisation of all)
        materialisation.unstored = storage.isWatched
          ? 0
          : materialisation.unstored + Math.max(1, inputs.length);
      afterwards();
      return newlyParked;
    }
    for (let oneByOne = false; ;) {
      try {
        const move = (): Promise<void> => moveCheckpoints(storage, chunk, targets, newlyParked);
        if (oneByOne)
          await storage.transaction(async () => {
            await applyOneByOne(storage, all, inputs);
            await move();
          });
        else await storage.transaction(() => applyTogether(storage, all, inputs), move);
        moveOn(all, chunk);
        for (const materialisation of all) materialisation.unstored = 0;
        afterwards();
        return newlyParked;
      } catch (error) {
        for (const materialisation of all) materialisation.discard();
        const target = error instanceof PoisonousEvent ? all[error.target] : undefined;
        if (error instanceof PoisonousEvent && target !== undefined) {
          if (await target.parkAt(error.event, error.cause)) newlyParked.push(target);
        } else if (error instanceof PoisonousChunk && !oneByOne) oneByOne = true;
        else throw error instanceof PoisonousChunk ? error.cause : error;
      }
    }
  });
}

/** Whether a chunk concerns none of them, and their checkpoints may stay where they are. */
function mayPass<Event extends DomainEvent>(
  all: readonly Materialisation<Event>[],
  inputs: readonly EventInput<Event>[],
): boolean {
  return all.every(
    (each) =>
      each.unstored + inputs.length < unstoredLimit && !inputs.some((input) => each.isConcernedBy(input)),
  );
}

function moveOn<Event extends DomainEvent>(all: readonly Materialisation<Event>[], chunk: EventChunk): void {
  for (const materialisation of all) {
    const reached = positionAfter(materialisation, chunk);
    materialisation.mark = markAt(chunk, reached) ?? materialisation.mark;
    materialisation.position = reached;
  }
}

async function moveCheckpoints<Event extends DomainEvent>(
  storage: ProjectionStorage,
  chunk: EventChunk,
  { live }: Targets<Event>,
  newlyParked: readonly Materialisation<Event>[],
): Promise<void> {
  const moved = live.filter((each) => each.unstored > 0 || positionAfter(each, chunk) > each.position);
  const advancing: Promise<void>[] = [];
  for (const [reached, together] of Map.groupBy(moved, (each) => positionAfter(each, chunk))) {
    for (const [mark, alike] of Map.groupBy(together, (each) => markAt(chunk, reached) ?? each.mark)) {
      const names = alike.map(({ projection }) => projection.name);
      advancing.push(storage.checkpoints.advance(names, reached, mark));
    }
  }
  const parking = newlyParked.filter((each) => live.includes(each));
  const advances = new Map(moved.map((each) => [each.projection.name, positionAfter(each, chunk)]));
  await allEnded([
    ...advancing,
    ...parking.map(({ projection, parked }) =>
      storage.checkpoints.park(projection.name, parked?.reason ?? null),
    ),
    storage.announce(parking.length === 0 ? advances : undefined),
  ]);
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

/**
 * Asks for the rows of all events at once.
 * @throws PoisonousEvent at once, of an event that a handler cannot take; PoisonousChunk, of a row that cannot be written.
 */
function applyTogether<Event extends DomainEvent>(
  storage: ProjectionStorage,
  all: readonly Materialisation<Event>[],
  inputs: readonly EventInput<Event>[],
): Promise<void> {
  for (const input of inputs) for (const each of all.entries()) applyTo(storage, each, input);
  // No two of them have a table in common, so that an engine may send all of this at once.
  return allEnded(all.map((materialisation) => materialisation.flush())).catch((error: unknown) => {
    if (storage.isDatabaseFailure(error)) throw error;
    throw new PoisonousChunk("a row could not be written", { cause: error });
  });
}

/** Writes the rows of each event before the next one is looked at. @throws PoisonousEvent */
async function applyOneByOne<Event extends DomainEvent>(
  storage: ProjectionStorage,
  all: readonly Materialisation<Event>[],
  inputs: readonly EventInput<Event>[],
): Promise<void> {
  for (const input of inputs)
    for (const [target, materialisation] of all.entries()) {
      applyTo(storage, [target, materialisation], input);
      await materialisation.flush().catch((error: unknown) => {
        throw blamed(storage, error, { target, event: input.recorded });
      });
    }
}

/** Has one of them handle an event. @throws PoisonousEvent */
function applyTo<Event extends DomainEvent>(
  storage: ProjectionStorage,
  [target, materialisation]: readonly [target: number, materialisation: Materialisation<Event>],
  input: EventInput<Event>,
): void {
  try {
    materialisation.apply(input);
  } catch (error) {
    throw blamed(storage, error, { target, event: input.recorded });
  }
}

/** The database's own failure, or that of an event. */
function blamed(
  storage: ProjectionStorage,
  error: unknown,
  { target, event }: Pick<PoisonousEvent, "target" | "event">,
): unknown {
  return storage.isDatabaseFailure(error) ? error : new PoisonousEvent(target, event, error);
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
function markAt({ events, series }: EventChunk, reached: Position): string | null {
  const last = events.findLast(({ position }) => position <= reached);
  return last === undefined ? null : markOf(last, series);
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
