import { createHash } from "node:crypto";

import { Backoff, realTiming, type CallOff } from "@hostledger/runtime/async";
import { errorCodeOf } from "@hostledger/runtime/error-code";

import {
  openLeaseConnection,
  type LeaseConnection,
  type LockChange,
  type ServerTime,
} from "./lease-connection.ts";
import { hasRoomFor, type Lease, type Leases } from "./leases.port.ts";

export interface PostgresLeasesOptions {
  /** `postgres://user:password@host:port/database`; all holders of one system use the same. */
  readonly url: string;
  /** Keeps the leases of systems apart that share a database. Default `hostledger`. */
  readonly namespace?: string;
  /**
   * Leases held here at a time. Default 5,000. PostgreSQL's table of locks has room for about `max_locks_per_transaction`
   * times `max_connections` of all sessions together (64 times 100 unless set otherwise).
   */
  readonly heldLimit?: number;
  /** Called with PostgreSQL's time before the leases open, and each second during their session. */
  readonly onServerTime?: (time: ServerTime) => void;
  readonly logger?: {
    info(fields: object, message: string): void;
    error(fields: object, message: string): void;
  };
}

/** Pauses before the connection is opened again. */
const reconnectBackoff = { firstMs: 100, longestMs: 2_000 };

/** Locks asked for, or given back, in one statement. */
const batchLimit = 500;

/** Maximum delay of a release that waits for another statement to join, in milliseconds; no caller waits for it. */
const unlockRestMs = 10;

/** Pause before new work begins after PostgreSQL had no room for a lock, in milliseconds. */
const tableFullRestMs = 1_000;

/** Requests for leases that wait for an answer at a time. */
const queueLimit = 20_000;

interface Ask extends LockChange {
  /** False also where the session was lost before the answer. */
  answer(isTaken: boolean): void;
}

/**
 * Opens leases that are session advisory locks of one PostgreSQL session: they end with it, hence with the process that
 * holds them. A session that is lost is opened again; meanwhile no lease is to be had.
 * @throws Error when PostgreSQL cannot be reached at first.
 */
export async function openPostgresLeases(options: PostgresLeasesOptions): Promise<Leases> {
  const connection = await openLeaseConnection(options.url, options.onServerTime);
  return new SessionLeases(options, connection);
}

class SessionLeases implements Leases {
  readonly #options: PostgresLeasesOptions;
  readonly #heldLimit: number;
  /**
   * Leases by name. This process tracks taken and requested leases itself, because a PostgreSQL session may take its
   * own lock twice.
   */
  readonly #held = new Map<string, AbortController>();
  readonly #asks: Ask[] = [];
  readonly #closing = new AbortController();
  #connection: LeaseConnection | undefined;
  #isPumping = false;
  /** Until then it had no room a moment ago; by the process's own time, in milliseconds. */
  #tableFullUntilMs = -Infinity;
  /** Ends the delay of waiting releases. */
  #stopResting: CallOff | undefined;

  constructor(options: PostgresLeasesOptions, connection: LeaseConnection) {
    this.#options = options;
    this.#heldLimit = options.heldLimit ?? 5_000;
    this.#use(connection);
  }

  async tryAcquire(name: string): Promise<Lease | undefined> {
    const mayAsk = this.#held.size < this.#heldLimit && this.#asks.length < queueLimit;
    if (this.#connection === undefined || this.#held.has(name) || !mayAsk) return undefined;
    const holder = new AbortController();
    this.#held.set(name, holder);
    const key = keyOf(this.#options.namespace ?? "hostledger", name);
    const isTaken = await this.#ask("lock", key);
    if (!isTaken || holder.signal.aborted || this.#held.get(name) !== holder) {
      if (this.#held.get(name) === holder) this.#held.delete(name);
      return undefined;
    }
    return { name, lost: holder.signal, release: () => this.#release(name, key, holder) };
  }

  get hasRoom(): boolean {
    const isTableFull = realTiming.monotonicMilliseconds() < this.#tableFullUntilMs;
    return !isTableFull && hasRoomFor(this.#held.size, this.#heldLimit);
  }

  async close(): Promise<void> {
    this.#closing.abort();
    this.#stopResting?.();
    const connection = this.#connection;
    this.#connection = undefined;
    this.#held.clear();
    this.#refuseAll();
    await connection?.end();
  }

  async #release(name: string, key: string, holder: AbortController): Promise<void> {
    if (this.#held.get(name) !== holder) return;
    // The next request for the lease queues behind the unlock.
    this.#held.delete(name);
    await this.#ask("unlock", key);
  }

  #ask(kind: Ask["kind"], key: string): Promise<boolean> {
    return new Promise((resolve) => {
      this.#asks.push({ kind, key, answer: resolve });
      if (this.#isPumping) return;
      if (kind === "lock") void this.#pump();
      else this.#stopResting ??= realTiming.after(unlockRestMs, () => void this.#pump());
    });
  }

  /** Sends requests in order, and resolves them. Never throws. */
  async #pump(): Promise<void> {
    this.#isPumping = true;
    this.#stopResting?.();
    this.#stopResting = undefined;
    // All requests of this turn join the first statement.
    await Promise.resolve();
    while (this.#asks.length > 0) {
      const batch = this.#asks.splice(0, batchLimit);
      const done = await this.#carryOut(batch);
      for (const [index, ask] of batch.entries()) ask.answer(done[index] ?? false);
    }
    this.#isPumping = false;
  }

  async #carryOut(batch: readonly Ask[]): Promise<readonly boolean[]> {
    const connection = this.#connection;
    if (connection === undefined) return [];
    try {
      return await connection.change(batch);
    } catch (error) {
      if (isTableFull(error) && (await this.#giveBack(connection, batch))) return [];
      // The locks of the session are unknown, so the session ends and releases them.
      this.#options.logger?.error({ error }, "the session of the leases failed");
      this.#lose(connection);
      await connection.end();
    }
    return [];
  }

  /**
   * Releases a batch after an error: requested locks were not taken before, and locks to release may still be taken.
   * @returns true if all of them are free now.
   */
  async #giveBack(connection: LeaseConnection, batch: readonly Ask[]): Promise<boolean> {
    this.#tableFullUntilMs = realTiming.monotonicMilliseconds() + tableFullRestMs;
    this.#options.logger?.error({ held: this.#held.size }, "PostgreSQL has no room for more locks");
    return connection.change(batch.map(({ key }) => ({ kind: "unlock", key }))).then(
      () => true,
      () => false,
    );
  }

  #use(connection: LeaseConnection): void {
    this.#connection = connection;
    void connection.gone.then(() => {
      this.#lose(connection);
    });
  }

  #lose(connection: LeaseConnection): void {
    if (this.#connection !== connection) return;
    this.#connection = undefined;
    const lost = [...this.#held.values()];
    this.#held.clear();
    this.#options.logger?.error({ leases: lost.length }, "the leases are lost with their session");
    for (const holder of lost) holder.abort();
    void this.#reconnect();
  }

  /** Never throws. */
  async #reconnect(): Promise<void> {
    const backoff = new Backoff(reconnectBackoff);
    while (!this.#isClosed()) {
      await backoff.pause(this.#closing.signal);
      if (this.#isClosed()) return;
      try {
        const connection = await openLeaseConnection(this.#options.url, this.#options.onServerTime);
        if (this.#isClosed()) {
          await connection.end();
          return;
        }
        this.#use(connection);
        this.#options.logger?.info({}, "leases are to be had again");
        return;
      } catch (error) {
        this.#options.logger?.error({ error }, "PostgreSQL cannot be reached for leases");
      }
    }
  }

  #refuseAll(): void {
    for (const ask of this.#asks.splice(0)) ask.answer(false);
  }

  #isClosed(): boolean {
    return this.#closing.signal.aborted;
  }
}

/** The lock's key: 64 bits, as PostgreSQL takes them. Two names share one by chance only: their work is then done in turn. */
function keyOf(namespace: string, name: string): string {
  const digest = createHash("sha256").update(`${namespace}\u0000${name}`).digest();
  return digest.readBigInt64BE(0).toString();
}

/** `out of shared memory`: the table of locks is full. Some locks of the statement may have been taken all the same. */
function isTableFull(error: unknown): boolean {
  return errorCodeOf(error) === "53200";
}
