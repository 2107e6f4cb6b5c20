import type { UnreadableKind } from "@hostledger/core";
import type { Position } from "@hostledger/event-store";
import { sql, type Kysely } from "kysely";

import { allEnded } from "../projector/side-by-side.ts";
import type { WriteConnection } from "./engine.port.ts";
import type { Bookkeeping } from "./migrations.ts";

/** Rows in one statement: engines bound the number of its parameters. */
const rowsInStatement = 1_000;

/** A stream whose rows stand still before an event that could not be taken. */
export interface StoppedStream {
  readonly stream: string;
  /** Where the event is in its stream, and in the log. */
  readonly revision: bigint;
  readonly position: Position;
  readonly eventId: string;
  /** The stored type, cut where it is long. */
  readonly type: string;
  readonly kind: UnreadableKind;
  /** True where the event can be read, and only this read model cannot take it. */
  readonly isReadable: boolean;
  /** A sentence that names the event. */
  readonly reason: string;
  /** When the event was stored: ISO 8601 UTC with six fractional digits. */
  readonly since: string;
  /** The account that the earlier events of the stream name. */
  readonly accountId: number | undefined;
}

/** A stopped stream, and the read model whose rows stand still. */
export interface StoredStop extends StoppedStream {
  readonly projection: string;
}

/** Where stopped streams are kept: in the tables' own database, so that both change in one transaction. */
export class StoppedStreams {
  readonly #connection: WriteConnection;
  readonly #db: Kysely<Bookkeeping>;

  constructor(connection: WriteConnection, db: Kysely<Bookkeeping>) {
    this.#connection = connection;
    this.#db = db;
  }

  /** Of all projections of the database. */
  async all(): Promise<readonly StoredStop[]> {
    const query = this.#db
      .selectFrom("stopped_streams")
      .select(["projection", "stream", "event_id", "type", "kind", "readable", "reason", "since"])
      // As text, since a JavaScript number holds integers up to 2^53 only.
      .select([
        sql<string>`cast(revision as text)`.as("revision"),
        sql<string>`cast(position as text)`.as("position"),
        sql<string | null>`cast(account_id as text)`.as("account_id"),
      ])
      .orderBy("position")
      .compile();
    const rows = await this.#connection.rows(query);
    return rows.map((row) => ({
      projection: row.projection,
      stream: row.stream,
      revision: BigInt(row.revision),
      position: BigInt(row.position),
      eventId: row.event_id,
      type: row.type,
      kind: row.kind,
      isReadable: row.readable === 1,
      reason: row.reason,
      since: row.since,
      accountId: row.account_id === null ? undefined : Number(row.account_id),
    }));
  }

  /** Adds streams that stopped, in one statement that may go along with others. @param stops at least one. */
  async add(stops: readonly StoredStop[]): Promise<void> {
    const rows = stops.map((stop) => ({
      projection: stop.projection,
      stream: stop.stream,
      revision: stop.revision,
      position: stop.position,
      event_id: stop.eventId,
      type: stop.type,
      kind: stop.kind,
      readable: stop.isReadable ? 1 : 0,
      reason: stop.reason,
      since: stop.since,
      account_id: stop.accountId ?? null,
    }));
    // A stream has one row for each projection: it is stopped once until its tables are built anew.
    const statements = chunks(rows).map((some) =>
      this.#connection.run(this.#db.insertInto("stopped_streams").values(some).compile()),
    );
    await allEnded(statements);
  }

  /** Puts the streams that stopped in new tables of a projection in the place of those in the old ones. */
  async replace(projection: string, stops: readonly StoppedStream[]): Promise<void> {
    const gone = this.#db.deleteFrom("stopped_streams").where("projection", "=", projection);
    await this.#connection.run(gone.compile());
    if (stops.length > 0) await this.add(stops.map((stop) => ({ ...stop, projection })));
  }
}

function chunks<Row>(rows: readonly Row[]): readonly (readonly Row[])[] {
  return Array.from({ length: Math.ceil(rows.length / rowsInStatement) }, (_, at) =>
    rows.slice(at * rowsInStatement, (at + 1) * rowsInStatement),
  );
}
