import { PostgresSession } from "@hostledger/runtime/postgres";
import type { CompiledQuery } from "kysely";
import pg from "pg";

import { messageOf } from "../errors.ts";
import { ReadModelUnavailableError } from "../unavailable.errors.ts";
import type { WriteConnection } from "../storage/engine.port.ts";
import { hashOf } from "./naming.ts";

/** The types that read models are made of, as JavaScript values: integers far below 2^53 as numbers. */
const types = new pg.TypeOverrides();
types.setTypeParser(pg.types.builtins.INT8, Number);
// A sum of integers.
types.setTypeParser(pg.types.builtins.NUMERIC, Number);

/** How connections to the database are made. Times are in milliseconds. */
export function connectionConfig(url: string, schema: string, more = ""): pg.ClientConfig {
  return {
    connectionString: url,
    types,
    application_name: `hostledger ${schema}`,
    connectionTimeoutMillis: 5_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: 1_000,
    // The server notices within seconds that this machine is gone, and then frees the locks of the session.
    options:
      `-c search_path=${schema} -c tcp_keepalives_idle=2 -c tcp_keepalives_interval=1 ` +
      `-c tcp_keepalives_count=2 -c tcp_user_timeout=4000 -c client_connection_check_interval=1000 ` +
      `-c timezone=UTC ${more}`.trim(),
  };
}

/** The one connection that writes; one that broke is replaced when it is next asked for. */
export class PostgresConnection implements WriteConnection {
  readonly #session: PostgresSession;
  /** The session that has the right to write; none may take its place unnoticed. */
  #owner: object | undefined;
  /** What ended the present transaction, or the last: the reason of all refusals that follow in it. */
  #abortedBy: unknown;
  /** The session that hears its channel. */
  #listener: object | undefined;

  constructor(config: pg.ClientConfig) {
    this.#session = new PostgresSession(config);
  }

  /** True while a session lives. */
  get isOpen(): boolean {
    return this.#session.current !== undefined;
  }

  /** Stands for the present session: another one is another object. */
  get session(): object | undefined {
    return this.#session.current;
  }

  async rows<Row>(query: CompiledQuery<Row>): Promise<Row[]> {
    // Some of these write as well (`returning`); whoever has no right to write yet may read.
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

  /** Lets the present session write, until it ends. @returns a signal that aborts then. */
  own(): AbortSignal {
    this.#owner = this.#session.current;
    return this.#session.ended;
  }

  /**
   * A new session is in no transaction, and has not the lock: what was meant for the old one must not reach it.
   * @throws PostgresFailureError the present session has no right to write.
   */
  refuseStranger(): void {
    if (this.#owner === undefined || this.#owner !== this.#session.current)
      throw new PostgresFailureError("the connection that writes was lost");
  }

  /** Calls back with every notification of the session's channel. */
  async listen(channel: string, hear: (text: string) => void): Promise<void> {
    this.#owner = undefined;
    const client = await this.#session.connected().catch(this.#refuse);
    if (this.#listener === client) return;
    client.on("notification", ({ payload = "" }) => {
      hear(payload);
    });
    // The session's own statement, so that it is missed where the server vanishes now.
    await this.#session.query({ text: `listen ${pg.escapeIdentifier(channel)}` }).catch(this.#refuse);
    this.#listener = client;
  }

  /**
   * Sends all statements that `ask` asks for at once, in their order: one packet and one wake-up of the server for them all. They
   * do not wait for each other, so that what follows one that failed in a transaction fails as well.
   */
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

  /** Passes on why a statement failed, be it that an earlier one of its transaction did. */
  readonly #refuse = (error: unknown): never => {
    if (error instanceof pg.DatabaseError && error.code === inFailedTransaction)
      return refuse(this.#abortedBy ?? error);
    this.#abortedBy = error;
    return refuse(error);
  };
}

/** SQLSTATE of a statement in a transaction of which an earlier one has failed. */
const inFailedTransaction = "25P02";

/** SQLSTATE classes that blame the data of a statement: data exceptions, and violated constraints. */
const dataClasses = new Set(["22", "23"]);

/** True when PostgreSQL cannot be asked or cannot go on, so that no event is to blame. */
export function isPostgresFailure(error: unknown): boolean {
  return error instanceof PostgresFailureError;
}

/** PostgreSQL or the way to it failed. Only its own connections say so: a handler may throw anything. */
class PostgresFailureError extends ReadModelUnavailableError {}

/** Passes on what the data are to blame for; everything else is a failure of the database. */
function refuse(error: unknown): never {
  if (error instanceof PostgresFailureError) throw error;
  if (error instanceof pg.DatabaseError && dataClasses.has((error.code ?? "").slice(0, 2))) throw error;
  throw new PostgresFailureError(`PostgreSQL failed: ${messageOf(error)}`, { cause: error });
}
