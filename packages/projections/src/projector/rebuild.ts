import type { DomainEvent } from "@hostledger/core";
import type { EventStore, Position } from "@hostledger/event-store";
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

/** What a rebuild did to one projection. */
export interface RebuildReport {
  readonly name: string;
  /** Events read from the log. */
  readonly events: number;
  /** Rows of the new tables. */
  readonly rows: number;
  /**
   * Whether the new tables had the same rows as the old ones at the same position. Undefined when there was nothing
   * to compare with: the old tables were of another version, parked, or empty for want of a first build.
   */
  readonly equal: boolean | undefined;
  /** Why the new tables could not be built. The old ones stay in use. */
  readonly failure?: string;
}

/** What a rebuild shares with the projector it belongs to. */
export interface RebuildContext<Event extends DomainEvent> {
  readonly store: EventStore;
  readonly storage: ProjectionStorage;
  readonly streamPrefixes: readonly string[];
  readonly batchSize: number;
  /** Table sets that the projector's own loop feeds beside the live ones. */
  readonly attached: Set<Materialisation<Event>>;
  /** How far the projector's own loop has come. */
  loopPosition(): Position;
  /** @param afterwards called after the commit, in its turn. */
  commit(chunk: EventChunk, targetsNow: () => Targets<Event>, afterwards: () => void): Promise<void>;
}

interface Build<Event extends DomainEvent> {
  readonly slot: ProjectionSlot<Event>;
  readonly beside: Materialisation<Event>;
  readonly generation: number;
}

/**
 * Builds the tables of some projections anew, in one pass over the log and beside the tables in use:
 *
 * 1. Events from the start go to tables without secondary indexes, one transaction a chunk, and the event loop turns
 *    after each. The live tables get every chunk too (they skip what they have), so they are never behind the new ones.
 * 2. At the end of the log come the indexes (on a thread of their own when they take long; writing pauses, queries
 *    go on), then the events that arrived meanwhile.
 * 3. Old and new tables now stand at one position. The projector's loop feeds both from here, in one transaction,
 *    while they are compared.
 * 4. The new tables take the names and the checkpoint of the old ones in one transaction.
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
      // After the swap these names are gone; after a failure this is what removes the unfinished tables.
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
    // Nothing can fail behind it: whoever begins it is the one who takes it back.
    slot.rebuilding = true;
    return { slot, generation, beside: slot.materialise(tables, beforeFirst) };
  });
}

/** Steps 1 and 2; answers how many events were read. */
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
    // One commits while the next is read, but not at the end of the log: what comes there is to be read as late as the projector's loop does.
    for await (const batch of readAhead(subscription, ({ caughtUp }) => !caughtUp)) {
      const meet = (): void => {
        reached.isLevel = indexed && meetLive(context, builds, batch.position);
      };
      for (const chunk of chunksOf(batch, batchSize)) {
        // In the turn of its last commit: in one of its own the projector's loop may always be a step ahead.
        const afterwards = chunk.position === batch.position ? meet : () => undefined;
        await context.commit(chunk, () => targetsOf(builds), afterwards);
        events += chunk.events.length;
        if (signal.aborted) throw new ReadModelError(stopped);
        // At the end of the log it must not fall behind the projector's loop again by waiting.
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

/** Queries go on meanwhile, writing pauses. */
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

/** Step 3, without an await in it: hands the new tables to the projector's loop as soon as they are level with it. */
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
  // Parked while they were compared, one of the two stood still and the comparison says nothing.
  const equal = comparable() ? compared : undefined;
  if (beside.parked !== undefined) {
    slot.buildFailure = beside.parked;
    return { name: slot.name, events, rows: 0, equal: undefined, failure: beside.parked.reason };
  }
  await swap(context, build);
  return { name: slot.name, events, rows: (await slot.live?.tables.countRows()) ?? 0, equal };
}

/** Step 4. */
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

/** The number of the tables that are built next. */
function generationAfter(former: Checkpoint | undefined): number {
  return (former?.generation ?? 0) + 1;
}

/** In a transaction. @param bring makes the tables of that generation, once those are gone whose names they take. */
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

/** After the transaction that brought them. */
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
