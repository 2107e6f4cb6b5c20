import type { DomainEvent } from "@hostledger/core";
import type { EventStore, Position } from "@hostledger/store";
import { readAhead, yieldToOthers } from "@hostledger/runtime/async";

import { messageOf, ReadModelError } from "../errors.ts";
import { definitionText, tableNamesIn, type Checkpoint } from "../storage/checkpoints.ts";
import type { StoppedStream } from "../storage/stopped-streams.ts";
import type { ProjectionStorage } from "../storage/storage.port.ts";
import { tablesEqual } from "../storage/table-comparison.ts";
import { besideSuffix, dropTables } from "../storage/table-set.ts";
import { chunksOf, type EventChunk, type Targets } from "./commit-batch.ts";
import type { Materialisation } from "./materialisation.ts";
import { beforeFirst, latest } from "./position.ts";
import type { ProjectionSlot } from "./projection-slot.ts";

export interface RebuildReport {
  readonly name: string;
  readonly events: number;
  readonly rows: number;
  /**
   * True if new and old tables had equal rows at the same position. Undefined if the old tables could not be compared:
   * another version, parked, or never built.
   */
  readonly equal: boolean | undefined;
  /** Reason why the new tables could not be built. The old ones stay in use. */
  readonly failure?: string;
}

/** The parts of the projector that a rebuild uses. */
export interface RebuildContext<Event extends DomainEvent> {
  readonly store: EventStore;
  readonly storage: ProjectionStorage;
  readonly streamPrefixes: readonly string[];
  readonly batchSize: number;
  /** Materialisations that the projector's own loop also feeds. */
  readonly attached: Set<Materialisation<Event>>;
  /** Position of the projector's own loop. */
  loopPosition(): Position;
  /** @param afterwards called after the commit, in the same turn. */
  commit(chunk: EventChunk, targetsNow: () => Targets<Event>, afterwards: () => void): Promise<void>;
}

interface Build<Event extends DomainEvent> {
  readonly slot: ProjectionSlot<Event>;
  readonly beside: Materialisation<Event>;
  readonly generation: number;
}

/**
 * Rebuilds the tables of projections in one pass over the log, beside the tables in use:
 * 1. Writes all events to tables without secondary indexes, one transaction per chunk, and yields after each. The live
 * tables get every chunk too (they skip known events), so they are never behind.
 * 2. At the end of the log, creates the indexes (in a thread if they take long; writing pauses, queries go on), then
 * writes the events that arrived meanwhile.
 * 3. Old and new tables are now at one position. The projector's loop feeds both in one transaction while they are
 * compared.
 * 4. Swaps the tables: the new ones take the names and the checkpoint of the old ones in one transaction.
 */
export async function rebuildBeside<Event extends DomainEvent>(
  context: RebuildContext<Event>,
  slots: readonly ProjectionSlot<Event>[],
  signal: AbortSignal,
): Promise<readonly RebuildReport[]> {
  const builds: Build<Event>[] = [];
  try {
    for (const slot of slots) builds.push(await begin(context, slot));
    const events = await fill(context, builds, signal);
    const reports: RebuildReport[] = [];
    for (const build of builds) {
      if (signal.aborted) throw new ReadModelError(stopped);
      reports.push(await finish(context, build, events));
    }
    return reports;
  } finally {
    for (const build of builds) {
      context.attached.delete(build.beside);
      build.slot.rebuilding = false;
      // After the swap these tables do not exist; after a failure this drops the unfinished ones.
      await context.storage.exclusively(() => build.beside.tables.drop());
    }
  }
}

async function begin<Event extends DomainEvent>(
  { storage }: RebuildContext<Event>,
  slot: ProjectionSlot<Event>,
): Promise<Build<Event>> {
  return storage.exclusively(async () => {
    const generation = generationAfter(await storage.checkpoints.load(slot.name));
    const tables = storage.tables(slot.projection.tables, besideSuffix);
    await tables.drop();
    await tables.create();
    // Nothing after this line can fail, so the flag is always reset.
    slot.rebuilding = true;
    return { slot, generation, beside: slot.materialise(tables, beforeFirst) };
  });
}

/** Carries out steps 1 and 2. @returns number of read events. */
async function fill<Event extends DomainEvent>(
  context: RebuildContext<Event>,
  builds: readonly Build<Event>[],
  signal: AbortSignal,
): Promise<number> {
  const ended = new AbortController();
  const { store, streamPrefixes, batchSize } = context;
  const subscription = store.subscribe({
    from: "start",
    streamPrefixes,
    signal: AbortSignal.any([signal, ended.signal]),
  });
  let events = 0;
  let indexed = false;
  const reached = { isLevel: false };
  try {
    // Reads ahead while it commits, except at the end of the log, where events must be read as late as in the projector's
    // loop.
    for await (const batch of readAhead(subscription, ({ caughtUp }) => !caughtUp)) {
      const meet = (): void => {
        reached.isLevel = indexed && meetLive(context, builds, batch.position);
      };
      for (const chunk of chunksOf(batch, batchSize)) {
        // In the turn of its last commit, because the projector's loop could otherwise always be a step ahead.
        const afterwards = chunk.position === batch.position ? meet : () => undefined;
        await context.commit(chunk, () => targetsOf(builds), afterwards);
        events += chunk.events.length;
        if (signal.aborted) throw new ReadModelError(stopped);
        // At the end of the log, a wait would let it fall behind the projector's loop again.
        if (!batch.caughtUp || chunk.position !== batch.position) await yieldToOthers();
      }
      if (batch.caughtUp && !indexed) {
        await createIndexes(context, builds, events);
        indexed = true;
        await context.storage.exclusively(() => {
          meet();
          return Promise.resolve();
        });
      }
      if (reached.isLevel) return events;
    }
  } finally {
    ended.abort();
  }
  throw new ReadModelError(stopped);
}

const stopped = "the rebuild was stopped before its end";

function targetsOf<Event extends DomainEvent>(builds: readonly Build<Event>[]): Targets<Event> {
  return {
    beside: builds.map(({ beside }) => beside),
    live: builds.flatMap(({ slot }) => (slot.live === undefined ? [] : [slot.live])),
  };
}

/** Creates the indexes. Queries go on meanwhile; writing pauses. */
async function createIndexes<Event extends DomainEvent>(
  { storage }: RebuildContext<Event>,
  builds: readonly Build<Event>[],
  events: number,
): Promise<void> {
  for (const { beside, generation } of builds) {
    if (beside.parked !== undefined) continue;
    try {
      await storage.exclusively(() => beside.tables.createIndexes(generation, events));
    } catch (error) {
      if (storage.isDatabaseFailure(error) || error instanceof ReadModelError) throw error;
      beside.park(beside.position, `a unique index does not hold: ${messageOf(error)}`);
    }
  }
}

/** Carries out step 3 without an await: gives the new tables to the projector's loop as soon as both are at one position. */
function meetLive<Event extends DomainEvent>(
  context: RebuildContext<Event>,
  builds: readonly Build<Event>[],
  position: Position,
): boolean {
  const running = targetsOf(builds).live.filter(({ parked }) => parked === undefined);
  const ahead = latest([context.loopPosition(), ...running.map((live) => live.position)]);
  if (position < ahead) return false;
  for (const { beside } of builds) if (beside.parked === undefined) context.attached.add(beside);
  return true;
}

async function finish<Event extends DomainEvent>(
  context: RebuildContext<Event>,
  build: Build<Event>,
  events: number,
): Promise<RebuildReport> {
  const { slot, beside } = build;
  const old = slot.live;
  const comparable = (): boolean =>
    old !== undefined && old.parked === undefined && beside.parked === undefined;
  const compared =
    old !== undefined && comparable()
      ? await tablesEqual(context.storage, old.tables, beside.tables)
      : undefined;
  // If one was parked during the comparison, it did not advance, so the comparison proves nothing.
  const equal = comparable() ? compared : undefined;
  if (beside.parked !== undefined) {
    slot.buildFailure = beside.parked;
    return { name: slot.name, events, rows: 0, equal: undefined, failure: beside.parked.reason };
  }
  await swap(context, build);
  return { name: slot.name, events, rows: (await slot.live?.tables.countRows()) ?? 0, equal };
}

async function swap<Event extends DomainEvent>(
  { storage, attached }: RebuildContext<Event>,
  { slot, beside }: Build<Event>,
): Promise<void> {
  await storage.exclusively(async () => {
    const { position } = beside;
    await storage.transaction(async () => {
      await replaceTables(storage, slot, beside, () => beside.tables.rename());
      await storage.announce();
    });
    attached.delete(beside);
    putInUse(storage, slot, position, beside.stopped);
  });
}

function generationAfter(former: Checkpoint | undefined): number {
  return (former?.generation ?? 0) + 1;
}

/** Replaces the tables inside a transaction. @param bring makes the new tables after the old names are free. */
export async function replaceTables<Event extends DomainEvent>(
  storage: ProjectionStorage,
  { projection: { name: projection, version, tables } }: ProjectionSlot<Event>,
  { position, mark, stopped }: Pick<Materialisation<Event>, "position" | "mark" | "stopped">,
  bring: (generation: number) => Promise<void>,
): Promise<void> {
  const { checkpoints } = storage;
  const former = await checkpoints.load(projection);
  await dropTables(storage, new Set([...tableNamesIn(former?.tables ?? "{}"), ...Object.keys(tables)]));
  const generation = generationAfter(former);
  await bring(generation);
  const text = definitionText(tables);
  await checkpoints.save({
    projection,
    version,
    position,
    tables: text,
    generation,
    parked: null,
    last_event: mark,
  });
  await storage.stoppedStreams.replace(projection, stopped);
}

/** Makes the projection use the new tables, after their transaction. */
export function putInUse<Event extends DomainEvent>(
  storage: ProjectionStorage,
  slot: ProjectionSlot<Event>,
  position: Position,
  stopped: readonly StoppedStream[],
): void {
  slot.live = slot.materialise(storage.tables(slot.projection.tables), position, stopped);
  slot.buildFailure = undefined;
  slot.hasFormer = false;
  slot.rebuilding = false;
}
