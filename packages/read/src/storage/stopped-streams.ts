import type { UnreadableKind } from "@hostledger/core";
import type { Position } from "@hostledger/store";
import { sql, type Kysely } from "kysely";

import { allEnded } from "../projector/side-by-side.ts";
import type { WriteConnection } from "./engine.port.ts";
import type { Bookkeeping } from "./migrations.ts";

/** Maximum rows in a statement, because engines limit its parameters. */
const rowsInStatement = 1_000;

/** A stream that a projection stopped at an event, whose rows therefore no longer change. */
export interface StoppedStream {
  readonly stream: string;
  /** The event's place in its stream and in `$all`. */
  readonly revision: bigint;
  readonly position: Position;
  readonly eventId: string;
  /** The stored type, truncated if it is long. */
  readonly type: string;
  readonly kind: UnreadableKind;
  /** True if the event can be read, but not applied to this read model. */
  readonly isReadable: boolean;
  readonly reason: string;
  /** Time when the event was stored: ISO 8601 UTC with six fractional digits. */
  readonly since: string;
  /** Account in the stream's earlier events. */
  readonly accountId: number | undefined;
}

export interface StoredStop extends StoppedStream {
  readonly projection: string;
}

/** Stores stopped streams in the tables' database, so that both change in one transaction. */
export class StoppedStreams {
  readonly #connection: WriteConnection;
  readonly #db: Kysely<Bookkeeping>;

  constructor(connection: WriteConnection, db: Kysely<Bookkeeping>) {
    this.#connection = connection;
    this.#db = db;
  }

  async all(): Promise<readonly StoredStop[]> {
    const query = this.#db
      .selectFrom("stopped_streams")
      .select(["projection", "stream", "event_id", "type", "kind", "readable", "reason", "since"])
      // Reads the numbers as text, because a JavaScript number is exact only up to 2^53.
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

  /** Adds stopped streams. @param stops at least one. */
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
    // A stream has one row for each projection, because it stops only once before a rebuild.
    const statements = chunks(rows).map((some) =>
      this.#connection.run(this.#db.insertInto("stopped_streams").values(some).compile()),
    );
    await allEnded(statements);
  }

  /** Replaces a projection's stopped streams with those of its new tables. */
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
