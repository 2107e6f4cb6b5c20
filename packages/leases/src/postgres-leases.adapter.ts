import { createHash } from "node:crypto";

import { Backoff } from "@hostledger/runtime/async";

import { openLeaseConnection, type LeaseConnection, type ServerTime } from "./lease-connection.ts";
import type { Lease, Leases } from "./leases.port.ts";

/** What leases in PostgreSQL are made of. */
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
  /** Is told PostgreSQL's time before the leases are open, and each second while their session lasts. */
  readonly hearTime?: (time: ServerTime) => void;
  readonly logger?: {
    info(fields: object, message: string): void;
    error(fields: object, message: string): void;
  };
}

/** Pauses before the connection is opened again. */
const reconnectBackoff = { firstMs: 100, longestMs: 2_000 };

/** Locks asked for in one statement. */
const batchLimit = 500;

/** Requests for leases that wait for an answer at a time. */
const queueLimit = 20_000;

interface Ask {
  readonly kind: "lock" | "unlock";
  readonly key: string;
  /** False also where the session was lost before the answer. */
  answer(isTaken: boolean): void;
}

/**
 * Opens leases that are session advisory locks of one PostgreSQL session: they end with it, hence with the process that
 * holds them. A session that is lost is opened again; meanwhile no lease is to be had.
 * @throws Error when PostgreSQL cannot be reached at first.
 */
export async function openPostgresLeases(options: PostgresLeasesOptions): Promise<Leases> {
  const connection = await openLeaseConnection(options.url, options.hearTime);
  return new SessionLeases(options, connection);
}

class SessionLeases implements Leases {
  readonly #options: PostgresLeasesOptions;
  readonly #heldLimit: number;
  /** By name. A session may take its own lock twice, so what is held or asked for here is known here. */
  readonly #held = new Map<string, AbortController>();
  readonly #asks: Ask[] = [];
  readonly #closing = new AbortController();
  #connection: LeaseConnection | undefined;
  #isPumping = false;

  constructor(options: PostgresLeasesOptions, connection: LeaseConnection) {
    this.#options = options;
    this.#heldLimit = options.heldLimit ?? 5_000;
    this.#use(connection);
  }

  async tryAcquire(name: string): Promise<Lease | undefined> {
    const hasRoom = this.#held.size < this.#heldLimit && this.#asks.length < queueLimit;
    if (this.#connection === undefined || this.#held.has(name) || !hasRoom) return undefined;
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

  async close(): Promise<void> {
    this.#closing.abort();
    const connection = this.#connection;
    this.#connection = undefined;
    this.#held.clear();
    this.#refuseAll();
    await connection?.end();
  }

  async #release(name: string, key: string, holder: AbortController): Promise<void> {
    if (this.#held.get(name) !== holder) return;
    // Whoever asks for it next is in the queue behind the unlock.
    this.#held.delete(name);
    await this.#ask("unlock", key);
  }

  #ask(kind: Ask["kind"], key: string): Promise<boolean> {
    return new Promise((resolve) => {
      this.#asks.push({ kind, key, answer: resolve });
      if (!this.#isPumping) void this.#pump();
    });
  }

  /** Answers what was asked, in order; neighbours of one kind share a statement. Never throws. */
  async #pump(): Promise<void> {
    this.#isPumping = true;
    // Everything that is asked in this turn goes with the first statement.
    await Promise.resolve();
    for (let first = this.#asks[0]; first !== undefined; first = this.#asks[0]) {
      const { kind } = first;
      const other = this.#asks.findIndex((ask, index) => ask.kind !== kind || index >= batchLimit);
      const batch = this.#asks.splice(0, other === -1 ? this.#asks.length : other);
      const taken = await this.#carryOut(kind, batch);
      for (const [index, ask] of batch.entries()) ask.answer(taken[index] ?? false);
    }
    this.#isPumping = false;
  }

  async #carryOut(kind: Ask["kind"], batch: readonly Ask[]): Promise<readonly boolean[]> {
    const connection = this.#connection;
    if (connection === undefined) return [];
    const keys = batch.map(({ key }) => key);
    try {
      if (kind === "lock") return await connection.lock(keys);
      await connection.unlock(keys);
    } catch (error) {
      if (kind === "lock" && isTableFull(error) && (await this.#giveBack(connection, keys))) return [];
      // Which locks the session has is not known any longer, so it ends, and they with it.
      this.#options.logger?.error({ error }, "the session of the leases failed");
      this.#lose(connection);
      await connection.end();
    }
    return [];
  }

  /** None of the keys was held before they were asked for. @returns whether they are all free again. */
  async #giveBack(connection: LeaseConnection, keys: readonly string[]): Promise<boolean> {
    this.#options.logger?.error({ held: this.#held.size }, "PostgreSQL has no room for more locks");
    return connection.unlock(keys).then(
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
        const connection = await openLeaseConnection(this.#options.url, this.#options.hearTime);
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
  return error instanceof Error && "code" in error && error.code === "53200";
}
