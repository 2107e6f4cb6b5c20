import type { DomainEvent } from "@hostledger/core";
import type { Position, RecordedEvent } from "@hostledger/store";

import type { ProjectionStorage } from "../storage/storage.port.ts";
import { EventInput, type EventReading } from "./event-input.ts";
import { markOf } from "./lineage.ts";
import type { Materialisation } from "./materialisation.ts";
import { allEnded } from "./side-by-side.ts";
import type { NewStop, Stopping } from "./stopping.ts";

/**
 * Maximum events without row changes by which a stored checkpoint may lag. The next start reads them again without
 * effect.
 */
const unstoredLimit = 1_000;

/** Consecutive events, at most as many as fit one transaction. */
export interface EventChunk {
  readonly events: readonly RecordedEvent[];
  /** Position up to which the log was read. */
  readonly position: Position;
  /** Number of older backups of the store that staff had accepted when the chunk was read. Default: 0. */
  readonly series?: number | undefined;
}

/**
 * Writes a chunk into several materialisations and advances the checkpoints of the live ones, in one transaction. A chunk
 * without row changes needs no transaction: checkpoints are stored with the next rows, or alone if other processes watch
 * them.
 *
 * An unreadable event stops its stream in every materialisation before any row is written. If a handler or table rejects
 * an event, its stream stops in that materialisation. The transaction is rolled back and repeated without the event, so
 * other streams lose nothing and no row has half of an event. Stops are stored in the same transaction. If an engine
 * writes the rows of many events together and cannot tell which failed, the chunk is repeated event by event.
 * @param targetsNow returns the materialisations, called with exclusive access to the tables.
 * @param afterwards called after the commit, before the exclusive access ends.
 * @throws a failure of the database itself (disk full, I/O); nothing was written.
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
      // No rows are written, so each checkpoint may move alone.
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

/** The result of a commit, besides rows. */
export interface Committed {
  readonly stops: readonly NewStop[];
  /** Events of other software that live tables skipped. */
  readonly foreign: number;
}

/** True if the chunk concerns no materialisation and the checkpoints need not be stored. */
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

export interface CommitParts<Event extends DomainEvent> {
  readonly storage: ProjectionStorage;
  readonly reading: EventReading<Event>;
  readonly stopping: Stopping;
}

/** The materialisations of a commit. Tables beside the live ones have no checkpoint until the swap. */
export interface Targets<Event extends DomainEvent> {
  readonly live: readonly Materialisation<Event>[];
  readonly beside: readonly Materialisation<Event>[];
}

/** Carries the failure of one handler out of the transaction. */
class PoisonousEvent extends Error {
  readonly target: number;
  readonly event: number;

  constructor(target: number, event: number, cause: unknown) {
    super("a handler failed", { cause });
    this.target = target;
    this.event = event;
  }
}

class PoisonousChunk extends Error {}

/**
 * Writes the rows of all events together.
 * @throws PoisonousEvent an event that a handler rejects; PoisonousChunk: a row that cannot be written.
 */
function applyTogether<Event extends DomainEvent>(
  storage: ProjectionStorage,
  all: readonly Materialisation<Event>[],
  inputs: readonly EventInput<Event>[],
): Promise<void> {
  for (const event of inputs.entries()) for (const each of all.entries()) applyTo(storage, each, event);
  // Materialisations share no tables, so an engine may write all at once.
  return allEnded(all.map((materialisation) => materialisation.flush())).catch((error: unknown) => {
    if (storage.isDatabaseFailure(error)) throw error;
    throw new PoisonousChunk("a row could not be written", { cause: error });
  });
}

/** Writes the rows of each event before the next event. @throws PoisonousEvent */
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

/** Applies an event to a materialisation. @throws PoisonousEvent */
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

/** Returns the failure of the database, or else of the event. */
function blamed(
  storage: ProjectionStorage,
  error: unknown,
  { target, event }: Pick<PoisonousEvent, "target" | "event">,
): unknown {
  return storage.isDatabaseFailure(error) ? error : new PoisonousEvent(target, event, error);
}

/** Returns the position of a materialisation after the chunk: the chunk's end, or the last event before its parking. */
function positionAfter<Event extends DomainEvent>(
  target: Materialisation<Event>,
  chunk: EventChunk,
): Position {
  const { parked, position } = target;
  if (parked === undefined) return chunk.position > position ? chunk.position : position;
  const last = chunk.events.findLast((event) => event.position < parked.position);
  return last !== undefined && last.position > position ? last.position : position;
}

/** Returns the mark of the last event of a chunk up to a position; null if there is none. */
function markAt({ events, series }: EventChunk, reached: Position): string | null {
  const last = events.findLast(({ position }) => position <= reached);
  return last === undefined ? null : markOf(last, series);
}

/** Splits a batch of the subscription into transactions of at most `size` events. */
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
