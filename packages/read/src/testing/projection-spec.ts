import { deepStrictEqual } from "node:assert/strict";

import type { DomainEvent } from "@hostledger/core";
import type { EventMetadata, RecordedEvent } from "@hostledger/store";
import { sql, type CompiledQuery } from "kysely";

import type { AnyProjection, Projection } from "../projection.ts";
import { EventInput } from "../projector/event-input.ts";
import { Materialisation } from "../projector/materialisation.ts";
import { beforeFirst } from "../projector/position.ts";
import { kyselyOn } from "../sqlite/node-sqlite.dialect.ts";
import { connectionOn } from "../sqlite/open-sqlite-read-models.ts";
import { SqliteConnection } from "../sqlite/sqlite-connection.ts";
import { sqliteDialect } from "../sqlite/sqlite-storage.dialect.ts";
import { WriteSession, type Writing } from "../sqlite/write-session.ts";
import { besideSuffix, TableSet } from "../storage/table-set.ts";
import type { Row, TableDefinitions } from "../tables.ts";

/** An event, alone or with the stream, time and metadata that its handler reads. */
export type GivenEvent<Event extends DomainEvent> =
  | Event
  | {
      readonly event: Event;
      readonly stream?: string;
      /** Time of storage: ISO 8601 UTC with six fractional digits. */
      readonly time?: string;
      readonly metadata?: Partial<EventMetadata>;
    };

/** Final rows of some tables in the order of their keys. Other tables are not checked. */
export type ExpectedRows<Tables extends TableDefinitions> = {
  readonly [Name in keyof Tables]?: readonly Row<Tables[Name]>[];
};

/** Given these events, when this one arrives, then these rows. */
export interface ProjectionSpec<Event extends DomainEvent, Tables extends TableDefinitions> {
  given(...events: readonly GivenEvent<Event>[]): ProjectionSpec<Event, Tables>;
  when(event: GivenEvent<Event>): ProjectionSpec<Event, Tables>;
  /**
   * Runs the spec: the events one by one; then the last one again and all of them again (a replay changes nothing); then
   * all of them into new tables (a rebuild gives equal rows).
   */
  then(rows: ExpectedRows<Tables>): void;
}

/** Begins a spec. @param stream stream of events without one; default: a stream that the projection follows. */
export function projectionSpec<Event extends DomainEvent, Tables extends TableDefinitions>(
  projection: Projection<Event, Tables> & AnyProjection<Event>,
  { stream = `${projection.categories[0] ?? "spec"}-1` }: { readonly stream?: string } = {},
): ProjectionSpec<Event, Tables> {
  const next = (history: readonly GivenEvent<Event>[]): ProjectionSpec<Event, Tables> => ({
    given: (...events) => next([...history, ...events]),
    when: (event) => next([...history, event]),
    then: (rows) => {
      new SpecRun(projection, inputsOf(history, stream)).check(rows);
    },
  });
  return next([]);
}

class SpecRun<Event extends DomainEvent> {
  readonly #projection: AnyProjection<Event>;
  readonly #inputs: readonly EventInput<Event>[];
  readonly #connection = new SqliteConnection(":memory:");
  readonly #session = new WriteSession(this.#connection);
  readonly #db = kyselyOn<unknown>(this.#connection);
  /** Writes at once, so that a failure is thrown immediately. */
  readonly #writing: Writing = {
    ask: (request) => Promise.resolve(this.#session.carryOut(request)),
    close: () => Promise.resolve(),
  };

  constructor(projection: AnyProjection<Event>, inputs: readonly EventInput<Event>[]) {
    this.#projection = projection;
    this.#inputs = inputs;
  }

  check(expected: Readonly<Record<string, readonly object[] | undefined>>): void {
    const incremental = this.#tables("");
    this.#handle(incremental, this.#inputs);
    const contents = this.#contents(incremental);
    for (const [table, rows] of Object.entries(expected)) {
      const found = contents[table]?.map(({ log_position: _, ...row }) => row);
      deepStrictEqual(found, rows, `the rows of ${table}`);
    }

    this.#handle(incremental, this.#inputs.slice(-1));
    deepStrictEqual(this.#contents(incremental), contents, "the last event handled twice changes nothing");
    this.#handle(incremental, this.#inputs);
    deepStrictEqual(this.#contents(incremental), contents, "all events handled twice change nothing");

    const rebuilt = this.#tables(besideSuffix);
    this.#handle(rebuilt, this.#inputs);
    deepStrictEqual(this.#contents(rebuilt), contents, "a rebuild equals the incremental result");
    this.#connection.close();
  }

  #tables(suffix: string): TableSet {
    const connection = connectionOn(this.#writing);
    const dialect = sqliteDialect({
      place: ":memory:",
      connection,
      writing: this.#writing,
      compiler: this.#db,
    });
    const parts = { connection, compiler: this.#db, dialect };
    const tables = new TableSet(parts, this.#projection.tables, suffix);
    for (const [name, definition] of Object.entries(this.#projection.tables))
      this.#connection.execute(dialect.createTable(tables.physicalName(name), definition));
    for (const statement of tables.indexStatements(suffix.length)) this.#connection.execute(statement);
    return tables;
  }

  #handle(tables: TableSet, inputs: readonly EventInput<Event>[]): void {
    const materialisation = new Materialisation(this.#projection, tables, beforeFirst);
    for (const input of inputs) materialisation.apply(input);
    void materialisation.flush();
  }

  #contents(tables: TableSet): Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>> {
    const entries = Object.entries(this.#projection.tables).map(([name, { primaryKey }]) => {
      const query: CompiledQuery<Record<string, unknown>> = sql<Record<string, unknown>>`
        select * from ${sql.table(tables.physicalName(name))}
        order by ${sql.join(primaryKey.map((column) => sql.ref(column)))}`.compile(this.#db);
      return [name, this.#connection.rows(query).map((row) => ({ ...row }))] as const;
    });
    return Object.fromEntries(entries);
  }
}

/** Metadata of an event without its own. */
const someone: EventMetadata = {
  correlationId: "correlation-1",
  causationId: "command-1",
  commandId: "command-1",
  actor: "staff",
  recordedBy: "spec",
};

/** Gives the events their places in the log. Nothing is encoded: decoding returns the event itself. */
function inputsOf<Event extends DomainEvent>(
  history: readonly GivenEvent<Event>[],
  defaultStream: string,
): EventInput<Event>[] {
  const revisions = new Map<string, bigint>();
  return history.map((given, index) => {
    const {
      event,
      stream = defaultStream,
      time,
      metadata = {},
    } = "event" in given ? given : { event: given };
    const revision = revisions.get(stream) ?? 0n;
    revisions.set(stream, revision + 1n);
    const recorded: RecordedEvent = {
      id: `00000000-0000-4000-8000-${String(index).padStart(12, "0")}`,
      type: `${event.type}.v1`,
      data: "",
      metadata: JSON.stringify({ ...someone, ...metadata }),
      stream,
      revision,
      position: BigInt(index),
      time: time ?? "2026-01-31T12:00:00.000000Z",
    };
    return new EventInput(recorded, { codec: { decode: () => event }, codecOf: () => undefined });
  });
}
