import { PostgresSession } from "@hostledger/runtime/postgres";
import type { CompiledQuery } from "kysely";
import pg from "pg";

import { messageOf } from "../errors.ts";
import { ReadModelUnavailableError } from "../unavailable.errors.ts";
import type { WriteConnection } from "../storage/engine.port.ts";
import { hashOf } from "./naming.ts";

/** Converts integers of read models to numbers, because they stay far below 2^53. */
const types = new pg.TypeOverrides();
types.setTypeParser(pg.types.builtins.INT8, Number);
// Type of a sum of integers.
types.setTypeParser(pg.types.builtins.NUMERIC, Number);

/** Returns the connection settings. Times are in milliseconds. */
export function connectionConfig(url: string, schema: string, more = ""): pg.ClientConfig {
  return {
    connectionString: url,
    types,
    application_name: `hostledger ${schema}`,
    connectionTimeoutMillis: 5_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: 1_000,
    // If this machine vanishes, the server notices within seconds and releases the session's locks.
    options:
      `-c search_path=${schema} -c tcp_keepalives_idle=2 -c tcp_keepalives_interval=1 ` +
      `-c tcp_keepalives_count=2 -c tcp_user_timeout=4000 -c client_connection_check_interval=1000 ` +
      `-c timezone=UTC ${more}`.trim(),
  };
}

/** The writing connection; the next request replaces a broken session. */
export class PostgresConnection implements WriteConnection {
  readonly #session: PostgresSession;
  /** The session that owns the tables; a new session does not inherit the ownership. */
  #owner: object | undefined;
  /** The error that aborted the present or last transaction, and the reason of all later refusals in it. */
  #abortedBy: unknown;
  /** The session that listens to the channel. */
  #listener: object | undefined;

  constructor(config: pg.ClientConfig) {
    this.#session = new PostgresSession(config);
  }

  get isOpen(): boolean {
    return this.#session.current !== undefined;
  }

  /** The present session, for comparisons: a new session is a different object. */
  get session(): object | undefined {
    return this.#session.current;
  }

  async rows<Row>(query: CompiledQuery<Row>): Promise<Row[]> {
    // Some of these queries write (`returning`). A process that owns no tables may only read.
    if (this.#owner !== undefined) this.refuseStranger();
    return (await this.#run<Row & pg.QueryResultRow>(query)).rows;
  }

  async run(query: CompiledQuery): Promise<void> {
    this.refuseStranger();
    await this.#run(query);
  }

  async execute(text: string): Promise<void> {
    this.refuseStranger();
    await this.#session.query({ text }).catch(this.#refuse);
  }

  /** Makes the present session the owner until it ends. @returns a signal that aborts when the session ends. */
  own(): AbortSignal {
    this.#owner = this.#session.current;
    return this.#session.ended;
  }

  /** Refuses a session that does not own the tables. @throws PostgresFailureError if it may not write. */
  refuseStranger(): void {
    if (this.#owner === undefined || this.#owner !== this.#session.current)
      throw new PostgresFailureError("the connection that writes was lost");
  }

  /** Calls `hear` for each notification of the channel. */
  async listen(channel: string, receive: (text: string) => void): Promise<void> {
    this.#owner = undefined;
    const client = await this.#session.connected().catch(this.#refuse);
    if (this.#listener === client) return;
    client.on("notification", ({ payload = "" }) => {
      receive(payload);
    });
    // The session sends this statement, so that it notices if the server vanishes now.
    await this.#session.query({ text: `listen ${pg.escapeIdentifier(channel)}` }).catch(this.#refuse);
    this.#listener = client;
  }

  /** Sends all statements of `ask` in one packet. If a statement in a transaction fails, the following ones fail too. */
  together<Asked>(ask: () => Asked): Asked {
    process.nextTick(this.#session.hold());
    return ask();
  }

  close(): Promise<void> {
    return this.#session.close();
  }

  #run<Row extends pg.QueryResultRow>({
    sql: text,
    parameters,
  }: CompiledQuery): Promise<pg.QueryResult<Row>> {
    const statement = { name: hashOf(text), text, values: [...parameters] };
    return this.#session.query<Row>(statement).catch(this.#refuse);
  }

  /** Throws the reason of a failure, which may be an earlier statement of the transaction. */
  readonly #refuse = (error: unknown): never => {
    if (error instanceof pg.DatabaseError && error.code === inFailedTransaction)
      return refuse(this.#abortedBy ?? error);
    this.#abortedBy = error;
    return refuse(error);
  };
}

/** SQLSTATE of a statement in an aborted transaction. */
const inFailedTransaction = "25P02";

/** SQLSTATE classes of faulty data: data exceptions and violated constraints. */
const dataClasses = new Set(["22", "23"]);

/** Returns true if PostgreSQL is at fault and not an event. */
export function isPostgresFailure(error: unknown): boolean {
  return error instanceof PostgresFailureError;
}

/** PostgreSQL or its network failed. Only our connections throw this error, because handlers may throw any other. */
class PostgresFailureError extends ReadModelUnavailableError {}

/** Throws errors of the data unchanged; converts all others to a failure of the database. */
function refuse(error: unknown): never {
  if (error instanceof PostgresFailureError) throw error;
  if (error instanceof pg.DatabaseError && dataClasses.has((error.code ?? "").slice(0, 2))) throw error;
  throw new PostgresFailureError(`PostgreSQL failed: ${messageOf(error)}`, { cause: error });
}
