import type { DomainEvent } from "@hostledger/core";
import type { Position, RecordedEvent } from "@hostledger/event-store";

import type { ProjectionStorage } from "../storage/storage.port.ts";
import { EventInput, type EventReading } from "./event-input.ts";
import { markOf } from "./lineage.ts";
import type { Materialisation } from "./materialisation.ts";
import { allEnded } from "./side-by-side.ts";
import type { NewStop, Stopping } from "./stopping.ts";

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
 * An event that cannot be read stops its stream in every materialisation, before any row is written. One that a handler or its
 * table cannot take stops the stream in that materialisation: the transaction is rolled back and done again without the event, so
 * that other streams lose nothing and no row holds half of an event. The stops are stored in the same transaction as the
 * checkpoints. An engine that writes the rows of many events together cannot tell whose row is at fault; then the chunk is done
 * again event by event.
 *
 * @param targetsNow who takes part, asked when nobody else is at the tables.
 * @param afterwards called after the commit, before anybody else gets to the tables.
 * @throws what the database throws when it is the database that fails (disk full, I/O); nothing was written then.
 */
export function commitBatch<Event extends DomainEvent>(
  { storage, reading, stopping }: CommitParts<Event>,
  chunk: EventChunk,
  targetsNow: () => Targets<Event>,
  afterwards: () => void = () => undefined,
): Promise<Committed> {
  return storage.exclusively(async () => {
    const targets = targetsNow();
    const all = [...targets.live, ...targets.beside];
    const inputs = chunk.events.map((recorded) => new EventInput(recorded, reading));
    const stops = [...(await stopping.stopBefore(all, inputs))];
    const foreign = inputs.filter((input) => targets.live.some((each) => each.isForeign(input))).length;
    if (mayPass(all, inputs)) {
      // No rows go with them: each checkpoint may move by itself.
      if (storage.isWatched) await storage.apart(() => moveCheckpoints(storage, chunk, targets));
      moveOn(all, chunk);
      for (const materialisation of all)
        materialisation.unstored = storage.isWatched
          ? 0
          : materialisation.unstored + Math.max(1, inputs.length);
      afterwards();
      return { stops, foreign };
    }
    for (let oneByOne = false; ;) {
      try {
        const move = (): Promise<void> => moveCheckpoints(storage, chunk, targets);
        if (oneByOne)
          await storage.transaction(async () => {
            await applyOneByOne(storage, all, inputs);
            await move();
          });
        else await storage.transaction(() => applyTogether(storage, all, inputs), move);
        moveOn(all, chunk);
        for (const materialisation of all) materialisation.unstored = 0;
        for (const materialisation of targets.live) materialisation.stopsStored();
        afterwards();
        return { stops, foreign };
      } catch (error) {
        for (const materialisation of all) materialisation.discard();
        const target = error instanceof PoisonousEvent ? all[error.target] : undefined;
        const input = error instanceof PoisonousEvent ? inputs[error.event] : undefined;
        if (error instanceof PoisonousEvent && target !== undefined && input !== undefined) {
          const stop = await stopping.stopOrPass(target, input, error.cause);
          if (stop !== undefined) stops.push(stop);
        } else if (error instanceof PoisonousChunk && !oneByOne) oneByOne = true;
        else throw error instanceof PoisonousChunk ? error.cause : error;
      }
    }
  });
}

/** What a commit came to, beside rows. */
export interface Committed {
  /** The streams that stopped. */
  readonly stops: readonly NewStop[];
  /** Events of other software that were passed over in live tables. */
  readonly foreign: number;
}

/** Whether a chunk concerns none of them, and their checkpoints may stay where they are. */
function mayPass<Event extends DomainEvent>(
  all: readonly Materialisation<Event>[],
  inputs: readonly EventInput<Event>[],
): boolean {
  return all.every(
    (each) =>
      each.unstored + inputs.length < unstoredLimit &&
      each.unstoredStops.length === 0 &&
      !inputs.some((input) => each.isConcernedBy(input)),
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
): Promise<void> {
  const moved = live.filter((each) => each.unstored > 0 || positionAfter(each, chunk) > each.position);
  const advancing: Promise<void>[] = [];
  for (const [reached, together] of Map.groupBy(moved, (each) => positionAfter(each, chunk))) {
    for (const [mark, alike] of Map.groupBy(together, (each) => markAt(chunk, reached) ?? each.mark)) {
      const names = alike.map(({ projection }) => projection.name);
      advancing.push(storage.checkpoints.advance(names, reached, mark));
    }
  }
  const stops = live.flatMap(({ projection, unstoredStops }) =>
    unstoredStops.map((stop) => ({ ...stop, projection: projection.name })),
  );
  const advances = new Map(moved.map((each) => [each.projection.name, positionAfter(each, chunk)]));
  await allEnded([
    ...advancing,
    ...(stops.length === 0 ? [] : [storage.stoppedStreams.add(stops)]),
    storage.announce(stops.length === 0 ? advances : undefined),
  ]);
}

/** What events are read with, and where their rows go. */
export interface CommitParts<Event extends DomainEvent> {
  readonly storage: ProjectionStorage;
  readonly reading: EventReading<Event>;
  readonly stopping: Stopping;
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
  /** Index of the event in the chunk. */
  readonly event: number;

  constructor(target: number, event: number, cause: unknown) {
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
  for (const event of inputs.entries()) for (const each of all.entries()) applyTo(storage, each, event);
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
  for (const [event, input] of inputs.entries())
    for (const [target, materialisation] of all.entries()) {
      applyTo(storage, [target, materialisation], [event, input]);
      await materialisation.flush().catch((error: unknown) => {
        throw blamed(storage, error, { target, event });
      });
    }
}

/** Has one of them handle an event. @throws PoisonousEvent */
function applyTo<Event extends DomainEvent>(
  storage: ProjectionStorage,
  [target, materialisation]: readonly [target: number, materialisation: Materialisation<Event>],
  [event, input]: readonly [event: number, input: EventInput<Event>],
): void {
  try {
    materialisation.apply(input);
  } catch (error) {
    throw blamed(storage, error, { target, event });
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
