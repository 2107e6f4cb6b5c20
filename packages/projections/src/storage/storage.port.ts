import type { Position } from "@hostledger/event-store";
import type { Kysely } from "kysely";

import type { TableDefinitions } from "../tables.ts";
import type { Checkpoints } from "./checkpoints.ts";
import type { Dialect, WriteConnection } from "./engine.port.ts";
import type { StoppedStreams } from "./stopped-streams.ts";
import type { TableSet } from "./table-set.ts";

/** How far projections have come, by their names. */
export type Advances = ReadonlyMap<string, Position>;

/** Who writes the tables, where several processes could. */
export interface Ownership {
  /** True while this process is the one. */
  readonly isHeld: boolean;
  /** Aborts when this process is the one no longer. */
  readonly lost: AbortSignal;
  /**
   * Tries once to become the one. A newer program ends the session of an older one that is: nobody else could build what the
   * newer one reads, or take what it writes.
   * @param edition the greater one is the newer one.
   */
  tryAcquire(edition: number): Promise<boolean>;
  /**
   * Waits until another process has committed something, or for a moment.
   * @returns the checkpoints that it moved, and nothing else; undefined where there may be more to know: then look.
   */
  untilNews(signal: AbortSignal): Promise<Advances | undefined>;
  /** Lets the process that keeps the tables hear that somebody waits for them here: it may be resting. */
  tellAwaited(): void;
  /** Calls back whenever another process tells so. */
  hearAwaited(call: () => void): void;
}

/** What a projector needs of the database that its tables are in. Services have no use for it. */
export interface ProjectionStorage {
  /** The database in words, for messages; without a password. */
  readonly place: string;
  /** Whose read models these are. */
  readonly service: string;
  readonly connection: WriteConnection;
  /** Builds SQL for the writing connection; nothing is executed through it. */
  readonly compiler: Kysely<unknown>;
  readonly dialect: Dialect;
  readonly checkpoints: Checkpoints;
  readonly stoppedStreams: StoppedStreams;
  readonly ownership: Ownership;
  /** True where other processes learn from the checkpoints how far the tables have come. */
  readonly isWatched: boolean;
  /** A projection's tables: their own (`suffix` empty), or a set that is built beside them. */
  tables(definitions: TableDefinitions, suffix?: string): TableSet;
  /** Runs `work` when nobody else of this process is at the tables, and nobody else while it runs. */
  exclusively<Result>(work: () => Promise<Result>): Promise<Result>;
  /**
   * All or nothing; only inside `exclusively`.
   * @param ending its last statements, of whose outcome nothing else depends: an engine may send the commit along with them. Whoever
   *   gives them has asked for everything else when `work` returns, or else throws then: an engine may send all of it together.
   */
  transaction<Result>(work: () => Promise<Result>, ending?: () => Promise<unknown>): Promise<Result>;
  /** Statements of which each stands for itself; an engine may send them at once. Only inside `exclusively`. */
  apart<Result>(work: () => Promise<Result>): Promise<Result>;
  /** Tells other processes which checkpoints have moved when the transaction commits; nothing: that there is more to look at. */
  announce(advances?: Advances): Promise<void>;
  /** True when the error blames the database itself (disk, connection), so that no event is to blame. */
  isDatabaseFailure(error: unknown): boolean;
}
