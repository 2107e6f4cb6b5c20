import { TemporarilyUnavailableError, type DomainEvent, type EventCodec } from "@hostledger/core";
import { isMended, type CodecOfCategory, type EventStore, type Position } from "@hostledger/event-store";

import type { AnyProjection } from "./projection.ts";
import { EventInput } from "./projector/event-input.ts";
import { Materialisation } from "./projector/materialisation.ts";
import { beforeFirst } from "./projector/position.ts";
import type { Projector } from "./projector/projector.ts";
import { shown } from "./projector/shown.ts";
import { unreadableCauseOf } from "./projector/unreadable-cause.ts";
import type { ReadModelDatabase } from "./read-model-database.ts";
import { openRowsInMemory } from "./sqlite/open-sqlite-read-models.ts";

/** What a recorded fact is read back with. */
export interface ReadBackOptions<Event extends DomainEvent, Tables, Queries> {
  readonly projector: Pick<Projector, "waitFor">;
  readonly store: Pick<EventStore, "read" | "lineage">;
  readonly codec: EventCodec<Event>;
  /** As the projector has it. */
  readonly codecOf: CodecOfCategory;
  /** The read models that the queries read. */
  readonly projections: readonly AnyProjection<Event>[];
  readonly database: ReadModelDatabase<Tables>;
  readonly queriesOf: (database: ReadModelDatabase<Tables>) => Queries;
}

/**
 * Reads what was just recorded, for the answer to whoever asked for it: from the read models when they show it within a moment,
 * else from the facts of its stream. A read model that lags, stands still, is not there or cannot be asked never turns a success
 * into a failure.
 * @param done where it is in the log; nowhere where nothing was written.
 * @param stream the one that all the rows follow from.
 * @throws what the store, the codec or a handler throws when the facts themselves cannot be read.
 */
export type ReadBack<Queries> = <Answer>(
  done: { readonly position?: Position | undefined },
  stream: string,
  read: (queries: Queries) => Promise<Answer>,
) => Promise<Answer>;

/**
 * Makes what reads back. The same handlers and the same queries serve both ways, so that an answer from the facts is the one
 * that the read model would have given.
 *
 * ```ts
 * const readBack = createReadBack({ projector, store, codec, projections: [tickets], database, queriesOf: supportQueries });
 * await readBack(executed, `ticket-${id}`, (queries) => queries.ticketById(id));
 * ```
 */
export function createReadBack<Event extends DomainEvent, Tables, Queries>(
  options: ReadBackOptions<Event, Tables, Queries>,
): ReadBack<Queries> {
  const { projector, projections, database, queriesOf } = options;
  const names = projections.map(({ name }) => name);
  const queries = queriesOf(database);
  return async (done, stream, read) => {
    if (await shown(projector, done, names)) {
      const answer = await read(queries).catch(undefinedWhileUnavailable);
      // A database in whose place an older copy came shows less than it did; nothing, where the facts have nothing either.
      if (answer !== undefined) return answer;
    }
    const memory = openRowsInMemory<Tables>();
    try {
      await fill(memory, options, stream);
      return await read(queriesOf(memory));
    } finally {
      await memory.close();
    }
  };
}

/** The facts are there when the rows are not. */
function undefinedWhileUnavailable(error: unknown): undefined {
  if (!(error instanceof TemporarilyUnavailableError)) throw error;
}

/** Puts the facts of one stream into tables of their own, which are gone after the answer. */
async function fill<Event extends DomainEvent>(
  { storage }: Pick<ReadModelDatabase<never>, "storage">,
  {
    store,
    codec,
    codecOf,
    projections,
  }: Pick<ReadBackOptions<Event, never, never>, "store" | "codec" | "codecOf" | "projections">,
  stream: string,
): Promise<void> {
  const filled: Materialisation<Event>[] = [];
  for (const projection of projections) {
    const tables = storage.tables(projection.tables);
    await tables.create();
    filled.push(new Materialisation(projection, tables, beforeFirst));
  }
  for await (const recorded of store.read(stream)) {
    const cause = await unreadableCauseOf(store, recorded, codecOf);
    // What the rows of such a stream show after the event is told by nobody until staff have it passed over.
    if (cause !== undefined && !(await isMended(store, recorded))) throw cause;
    if (cause !== undefined) continue;
    const input = new EventInput(recorded, { codec, codecOf });
    for (const each of filled) each.apply(input);
  }
  for (const each of filled) await each.flush();
}
