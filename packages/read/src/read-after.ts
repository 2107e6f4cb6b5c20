import { TemporarilyUnavailableError, type DomainEvent, type EventCodec } from "@hostledger/core";
import { isMended, type CodecOfCategory, type EventStore, type Position } from "@hostledger/store";

import type { AnyProjection } from "./projection.ts";
import { EventInput } from "./projector/event-input.ts";
import { Materialisation } from "./projector/materialisation.ts";
import { beforeFirst } from "./projector/position.ts";
import type { Projector } from "./projector/projector.ts";
import { unreadableCauseOf } from "./projector/unreadable-cause.ts";
import type { ReadModelDatabase } from "./read-model-database.ts";
import { openRowsInMemory } from "./sqlite/open-sqlite-read-models.ts";

export interface ReadAfterOptions<Event extends DomainEvent, Tables, Queries> {
  readonly projector: Pick<Projector, "after">;
  readonly store: Pick<EventStore, "read" | "lineage">;
  readonly codec: EventCodec<Event>;
  readonly codecOf: CodecOfCategory;
  /** The read models that the queries read. */
  readonly projections: readonly AnyProjection<Event>[];
  readonly database: ReadModelDatabase<Tables>;
  readonly queriesOf: (database: ReadModelDatabase<Tables>) => Queries;
}

/**
 * Reads a new change for the answer to its caller: from the read models if they show it in time, else from the events of
 * its stream. A read model that lags, stopped or is unavailable therefore never fails a successful request.
 * @param done position of the change; undefined if nothing was written.
 * @param stream the stream from which all the rows follow.
 * @throws any error of the store, the codec or a handler if the events cannot be read.
 */
export type ReadAfter<Queries> = <Answer>(
  done: { readonly position?: Position | undefined },
  stream: string,
  read: (queries: Queries) => Promise<Answer>,
) => Promise<Answer>;

/**
 * Makes a `ReadAfter`. Both ways use the same handlers and queries, so they give the same answer.
 * ```ts
 * const readAfter = createReadAfter({ projector, store, codec, projections: [tickets], database, queriesOf: supportQueries });
 * await readAfter(executed, `ticket-${id}`, (queries) => queries.ticketById(id));
 * ```
 */
export function createReadAfter<Event extends DomainEvent, Tables, Queries>(
  options: ReadAfterOptions<Event, Tables, Queries>,
): ReadAfter<Queries> {
  const { projector, projections, database, queriesOf } = options;
  const names = projections.map(({ name }) => name);
  const queries = queriesOf(database);
  return async (done, stream, read) => {
    if (await projector.after(done.position, { names })) {
      const answer = await read(queries).catch(undefinedWhileUnavailable);
      // An older backup of the database may lack the row, so the events are read too.
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

/** Returns undefined if the rows are unavailable, because the events can be read instead. */
function undefinedWhileUnavailable(error: unknown): undefined {
  if (!(error instanceof TemporarilyUnavailableError)) throw error;
}

/** Writes the events of one stream into temporary tables. */
async function fill<Event extends DomainEvent>(
  { storage }: Pick<ReadModelDatabase<never>, "storage">,
  {
    store,
    codec,
    codecOf,
    projections,
  }: Pick<ReadAfterOptions<Event, never, never>, "store" | "codec" | "codecOf" | "projections">,
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
    // A stopping event makes later rows unreliable until staff have it skipped.
    if (cause !== undefined && !(await isMended(store, recorded))) throw cause;
    if (cause !== undefined) continue;
    const input = new EventInput(recorded, { codec, codecOf });
    for (const each of filled) each.apply(input);
  }
  for (const each of filled) await each.flush();
}
