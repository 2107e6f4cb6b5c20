import type { DatabaseSync, StatementSync } from "node:sqlite";

import { afterThisTurn } from "@hostledger/runtime/async";

import { EventStoreFailedError, type RecordedEvent } from "../event-store.port.ts";
import { failureOf, openForReading } from "./database.ts";

/** Events per page, and characters after which a page ends early, because an event may have a megabyte. */
const pageLimit = 1_000;
const pageCharacters = 8 * 1_048_576;

/** Maximum prefixes: more than any subscriber needs, and within SQLite's limit of expression depth. */
const prefixLimit = 200;

const columns =
  "s.name, e.revision, e.position, e.time, e.id, e.type, e.data, e.metadata FROM events e JOIN streams s ON s.id = e.stream_id";

/** Sorts after every character that may follow a prefix. */
const highest = "\u{10ffff}";

/** Matching events, and the position up to which the log was searched. */
export interface LogPage {
  readonly events: readonly RecordedEvent[];
  readonly position: number;
}

/** A page of one stream; `complete` if the stream has no more in this direction. */
export interface StreamPage {
  readonly events: readonly RecordedEvent[];
  readonly complete: boolean;
}

/** Reads a page of the log after one position, up to another. */
export type LogQuery = (after: number, upTo: number) => LogPage;

/**
 * The reading connection, on the caller's thread. SQLite clears a reader's cache after each commit of the writer, so the
 * first query after a commit is costly. The queries of one turn of the event loop therefore share a snapshot. The
 * snapshot ends with the turn, so that checkpoints are not delayed, or with `refresh`.
 */
export class LogReader {
  readonly #path: string;
  readonly #database: DatabaseSync;
  readonly #lastPosition: StatementSync;
  readonly #lastTime: StatementSync;
  readonly #forwards: StatementSync;
  readonly #backwards: StatementSync;
  #holdsSnapshot = false;

  /** @throws EventStoreFailedError */
  constructor(path: string) {
    this.#path = path;
    this.#database = openForReading(path);
    const inStream = `SELECT ${columns} WHERE e.stream_id = (SELECT id FROM streams WHERE name = ?)`;
    this.#lastPosition = this.#database.prepare("SELECT max(position) AS position FROM events");
    this.#lastTime = this.#database.prepare("SELECT time FROM events ORDER BY position DESC LIMIT 1");
    this.#forwards = this.#prepareRows(`${inStream} AND e.revision >= ? ORDER BY e.revision LIMIT ?`);
    this.#backwards = this.#prepareRows(`${inStream} AND e.revision <= ? ORDER BY e.revision DESC LIMIT ?`);
  }

  /** Returns the position of the last event on disk; 0 if there is none. */
  lastPosition(): number {
    return this.#reading(() => Number(this.#lastPosition.get()?.position ?? 0));
  }

  /** Returns the time of storage of the last event on disk; undefined if there is none. */
  lastTime(): string | undefined {
    return this.#reading(() => {
      const row = this.#lastTime.get();
      return row === undefined ? undefined : text(row.time);
    });
  }

  /** Reads at most `limit` events of a stream from a revision (inclusive). */
  streamPage(stream: string, direction: "forwards" | "backwards", from: number, limit: number): StreamPage {
    const statement = direction === "forwards" ? this.#forwards : this.#backwards;
    const wanted = Math.min(limit, pageLimit);
    const events = this.#collect(statement.iterate(stream, from, wanted));
    return { events, complete: events.length < wanted && sizeOf(events) < pageCharacters };
  }

  /** Creates a query for the events of all streams, or of streams whose name starts with one of the prefixes. */
  logQuery(prefixes: readonly string[] | undefined): LogQuery {
    if (prefixes !== undefined && prefixes.length > prefixLimit) {
      throw new RangeError(`at most ${String(prefixLimit)} stream prefixes are allowed`);
    }
    const filter = prefixes?.map(() => "instr(s.name, ?) = 1").join(" OR ") ?? "true";
    const statement = this.#prepareRows(
      `SELECT ${columns} WHERE e.position > ? AND e.position <= ? AND (${filter || "false"}) ORDER BY e.position`,
    );
    return (after, upTo) => {
      const end = Math.min(upTo, after + pageLimit);
      const events = this.#collect(statement.iterate(after, end, ...(prefixes ?? [])));
      const cutShort = sizeOf(events) >= pageCharacters;
      return { events, position: cutShort ? Number(events.at(-1)?.position ?? end) : end };
    };
  }

  /**
   * Returns the position of the last event in streams with one of the prefixes; 0 if there is none. Undefined if there
   * are more than `limit` such streams, because each costs a look-up.
   */
  lastPositionWith(prefixes: readonly string[], limit: number): number | undefined {
    const named = prefixes
      .map(() => "SELECT id FROM streams WHERE name >= ? AND name < ?")
      .join(" UNION ALL ");
    if (named === "") return 0;
    const bounds = prefixes.flatMap((prefix) => [prefix, `${prefix}${highest}`]);
    const oneTooMany = this.#database.prepare(`${named} LIMIT 1 OFFSET ?`);
    const last = this.#database.prepare(
      `SELECT max((SELECT position FROM events WHERE stream_id = s.id ORDER BY revision DESC LIMIT 1)) AS position FROM (${named}) s`,
    );
    return this.#reading(() =>
      oneTooMany.get(...bounds, limit) === undefined ? Number(last.get(...bounds)?.position ?? 0) : undefined,
    );
  }

  /** Ends the snapshot, so that the next query sees all committed events. */
  refresh(): void {
    if (!this.#holdsSnapshot) return;
    this.#holdsSnapshot = false;
    // ROLLBACK, because COMMIT would repeat the error of a damaged page. Nothing was written.
    if (this.#database.isTransaction) this.#database.exec("ROLLBACK");
  }

  close(): void {
    this.refresh();
    this.#database.close();
  }

  /** Begins a snapshot, which the first query takes. */
  #holdSnapshot(): void {
    if (this.#holdsSnapshot) return;
    this.#database.exec("BEGIN");
    this.#holdsSnapshot = true;
    afterThisTurn(() => {
      this.refresh();
    });
  }

  /** Returns rows as arrays, because building objects would take half of the time. */
  #prepareRows(sql: string): StatementSync {
    const statement = this.#database.prepare(sql);
    statement.setReturnArrays(true);
    return statement;
  }

  #collect(rows: Iterable<unknown>): readonly RecordedEvent[] {
    return this.#reading(() => {
      const events: RecordedEvent[] = [];
      let characters = 0;
      for (const row of rows) {
        const event = recordedEvent(row);
        events.push(event);
        characters += event.data.length + event.metadata.length;
        if (characters >= pageCharacters) break;
      }
      return events;
    });
  }

  #reading<T>(read: () => T): T {
    try {
      this.#holdSnapshot();
      return read();
    } catch (error) {
      throw new EventStoreFailedError(`the event store ${this.#path} cannot be read: ${failureOf(error)}`, {
        cause: error,
      });
    }
  }
}

function sizeOf(events: readonly RecordedEvent[]): number {
  return events.reduce((sum, event) => sum + event.data.length + event.metadata.length, 0);
}

function recordedEvent(row: unknown): RecordedEvent {
  if (!isArray(row)) throw new Error("a row that must come as an array does not");
  return {
    stream: text(row[0]),
    revision: integer(row[1]),
    position: integer(row[2]),
    time: text(row[3]),
    id: text(row[4]),
    type: text(row[5]),
    data: text(row[6]),
    metadata: text(row[7]),
  };
}

function isArray(row: unknown): row is readonly unknown[] {
  return Array.isArray(row);
}

function text(value: unknown): string {
  if (typeof value === "string") return value;
  throw new Error("a column that must hold text does not");
}

function integer(value: unknown): bigint {
  if (typeof value === "number") return BigInt(value);
  throw new Error("a column that must hold an integer does not");
}
