import { CompiledQuery } from "kysely";
import pg from "pg";

import type { Advances, Ownership } from "../storage/storage.port.ts";
import { lockKey } from "./naming.ts";
import { News } from "./news.ts";
import type { PostgresConnection } from "./postgres-connection.ts";

/** Milliseconds after which a standby process checks for news without a notification. */
const lookEveryMs = 500;

/** Maximum milliseconds to wait for the lock of a terminated session, which is free almost at once. */
const inheritLimitMs = 1_000;
/** SQLSTATE of a lock timeout. */
const lockNotAvailable = "55P03";

/** Notification of a waiting process. Older programs treat it as a request to check for news. */
const awaited = "awaited";

const tryText = "select pg_try_advisory_lock($1)::int as taken";

/** Stores the program's edition in the session's name; sessions of programs without editions have none. */
const nameText = "select set_config('application_name', $1, false)";

/**
 * Terminates the lock's session if its program is older, and waits in the queue for the lock. Polling would be too slow,
 * because the older program reconnects within milliseconds. PostgreSQL stores the two halves of a lock's key separately.
 */
const inheritText = `
  with older as materialized (
    select pg_terminate_backend(l.pid) as ended, set_config('lock_timeout', '${String(inheritLimitMs)}', true)
    from pg_locks l join pg_stat_activity a using (pid)
    where l.locktype = 'advisory' and l.granted and l.objsubid = 1 and a.datname = current_database()
      and l.database = (select oid from pg_database where datname = current_database())
      and ((l.classid::bigint << 32) | l.objid::bigint) = $1::bigint
      and coalesce(substring(a.application_name from ' edition (\\d+)$')::int, 0) < $2::int
  )
  select 1 as taken, pg_advisory_lock($1::bigint) from older where ended`;

/** The right to write a schema's tables: an advisory lock of the writing session, which ends with the session. */
export class SessionOwnership implements Ownership {
  readonly #connection: PostgresConnection;
  readonly #service: string;
  readonly #key: string;
  readonly #channel: string;
  readonly #news = new News();
  #heldIn: object | undefined;
  #lost = AbortSignal.abort();
  #onAwaited = (): void => undefined;

  constructor(connection: PostgresConnection, service: string, channel: string) {
    this.#connection = connection;
    this.#service = service;
    this.#key = lockKey(`projections ${service}`);
    this.#channel = channel;
  }

  get isHeld(): boolean {
    return this.#heldIn !== undefined && this.#heldIn === this.#connection.session;
  }

  get lost(): AbortSignal {
    return this.#lost;
  }

  async tryAcquire(edition: number): Promise<boolean> {
    if (this.isHeld) return true;
    this.#heldIn = undefined;
    await this.#connection.listen(this.#channel, (text) => {
      if (text === awaited) this.#onAwaited();
      else this.#news.receive(text);
    });
    await this.#ask(nameText, `hostledger ${this.#service} edition ${String(edition)}`);
    if (!(await this.#take()) && !(await this.#inherit(edition))) return false;
    this.#heldIn = this.#connection.session;
    this.#lost = this.#connection.own();
    return true;
  }

  untilNews(signal: AbortSignal): Promise<Advances | undefined> {
    return this.#news.take(lookEveryMs, signal);
  }

  announceAwaited(): void {
    // If no process receives the notification, the owner's wait ends by its timeout.
    this.#ask("select pg_notify($1, $2)", this.#channel, awaited).catch(() => undefined);
  }

  onAwaited(call: () => void): void {
    this.#onAwaited = call;
  }

  async #take(): Promise<boolean> {
    const [row] = await this.#ask<{ taken: number }>(tryText, this.#key);
    return row?.taken === 1;
  }

  /** Takes the lock from an older program. @returns false without an older program, or if its session does not end. */
  async #inherit(edition: number): Promise<boolean> {
    try {
      const [row] = await this.#ask<{ taken: number }>(inheritText, this.#key, edition);
      return row?.taken === 1;
    } catch (error) {
      if (isLockNotAvailable(error)) return false;
      throw error;
    }
  }

  #ask<Row>(text: string, ...parameters: readonly unknown[]): Promise<Row[]> {
    return this.#connection.rows<Row>({ ...CompiledQuery.raw(text, [...parameters]) });
  }
}

function isLockNotAvailable(error: unknown): boolean {
  const { cause } = error instanceof Error ? error : {};
  return cause instanceof pg.DatabaseError && cause.code === lockNotAvailable;
}
