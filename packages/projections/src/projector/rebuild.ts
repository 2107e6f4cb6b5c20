import { setImmediate as yieldToEventLoop } from "node:timers/promises";

import type { DomainEvent, EventCodec } from "@hostledger/core";
import type { EventStore, Position } from "@hostledger/event-store";

import { messageOf, ReadModelError } from "../errors.ts";
import { executeInBackground } from "../sqlite/background-ddl.ts";
import { definitionText, tableNamesIn } from "../sqlite/checkpoints.ts";
import type { ProjectionStorage } from "../sqlite/open-read-models.ts";
import { isDatabaseFailure } from "../sqlite/sqlite-connection.ts";
import { tablesEqual } from "../sqlite/table-comparison.ts";
import { besideSuffix, dropTables, TableSet } from "../sqlite/table-set.ts";
import { chunksOf, type EventChunk, type Targets } from "./commit-batch.ts";
import { Materialisation } from "./materialisation.ts";
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
  readonly codec: EventCodec<Event>;
  readonly streamPrefixes: readonly string[];
  readonly batchSize: number;
  /** Table sets that the projector's own loop feeds beside the live ones. */
  readonly attached: Set<Materialisation<Event>>;
  /** How far the projector's own loop has come. */
  loopPosition(): Position;
  commit(chunk: EventChunk, targets: Targets<Event>): void;
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
  const builds = slots.map((slot) => begin(context, slot));
  try {
    const events = await fill(context, builds, signal);
    const reports: RebuildReport[] = [];
    for (const build of builds) reports.push(await finish(context, build, events));
    return reports;
  } finally {
    for (const build of builds) {
      context.attached.delete(build.beside);
      build.slot.rebuilding = false;
      // After the swap these names are gone; after a failure this is what removes the unfinished tables.
      build.beside.tables.drop();
    }
  }
}

function begin<Event extends DomainEvent>(
  context: RebuildContext<Event>,
  slot: ProjectionSlot<Event>,
): Build<Event> {
  const { connection, compiler, checkpoints } = context.storage;
  const tables = new TableSet(connection, compiler, slot.projection.tables, besideSuffix);
  tables.drop();
  tables.create();
  slot.rebuilding = true;
  const generation = (checkpoints.load(slot.name)?.generation ?? 0) + 1;
  return { slot, generation, beside: new Materialisation(slot.projection, tables, beforeFirst) };
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
  try {
    for await (const batch of subscription) {
      for (const chunk of chunksOf(batch, batchSize)) {
        await context.storage.writeGate.closed;
        context.commit(chunk, targetsOf(builds));
        events += chunk.events.length;
        if (signal.aborted) throw new ReadModelError(stopped);
        // At the end of the log it must not fall behind the projector's loop again by waiting.
        if (!batch.caughtUp || chunk.position !== batch.position) await yieldToEventLoop();
      }
      if (batch.caughtUp && !indexed) {
        await createIndexes(context, builds, events);
        indexed = true;
      }
      if (indexed && meetLive(context, builds, batch.position)) return events;
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

/** A read model of fewer events has its indexes made in place: that is over sooner than a thread has started. */
const backgroundFromEvents = 50_000;

async function createIndexes<Event extends DomainEvent>(
  { storage }: RebuildContext<Event>,
  builds: readonly Build<Event>[],
  events: number,
): Promise<void> {
  for (const { beside, generation } of builds) {
    const statements = beside.tables.indexStatements(generation);
    if (beside.parked !== undefined || statements.length === 0) continue;
    try {
      if (events >= backgroundFromEvents) {
        await storage.writeGate.during(() => executeInBackground(storage.path, statements));
      } else {
        for (const statement of statements) storage.connection.execute(statement);
      }
    } catch (error) {
      if (isDatabaseFailure(error) || error instanceof ReadModelError) throw error;
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
  const { connection, compiler } = context.storage;
  const old = slot.live;
  const comparable = (): boolean =>
    old !== undefined && old.parked === undefined && beside.parked === undefined;
  const compared =
    old !== undefined && comparable()
      ? await tablesEqual(connection, compiler, old.tables, beside.tables)
      : undefined;
  // Parked while they were compared, one of the two stood still and the comparison says nothing.
  const equal = comparable() ? compared : undefined;
  if (beside.parked !== undefined) {
    slot.buildFailure = beside.parked.reason;
    return { name: slot.name, events, rows: 0, equal: undefined, failure: beside.parked.reason };
  }
  swap(context, build);
  return { name: slot.name, events, rows: slot.live?.tables.countRows() ?? 0, equal };
}

/** Step 4. */
function swap<Event extends DomainEvent>(
  context: RebuildContext<Event>,
  { slot, beside, generation }: Build<Event>,
): void {
  const { connection, compiler, checkpoints } = context.storage;
  const { name: projection, version, tables } = slot.projection;
  const { position } = beside;
  connection.transaction(() => {
    const former = tableNamesIn(checkpoints.load(projection)?.tables ?? "{}");
    dropTables(connection, compiler, new Set([...former, ...Object.keys(tables)]));
    beside.tables.rename();
    checkpoints.save({ projection, version, position, tables: definitionText(tables), generation });
  });
  context.attached.delete(beside);
  slot.live = new Materialisation(slot.projection, new TableSet(connection, compiler, tables), position);
  slot.buildFailure = undefined;
  slot.rebuilding = false;
}
