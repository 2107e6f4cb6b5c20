import type { Position } from "@hostledger/store";
import type { Kysely } from "kysely";

import type { TableDefinitions } from "../tables.ts";
import type { Checkpoints } from "./checkpoints.ts";
import type { Dialect, WriteConnection } from "./engine.port.ts";
import type { StoppedStreams } from "./stopped-streams.ts";
import type { TableSet } from "./table-set.ts";

export type Advances = ReadonlyMap<string, Position>;

/** The right to write the tables, for which several processes may compete. */
export interface Ownership {
  /** True while this process is the owner. */
  readonly isHeld: boolean;
  /** Aborts when this process loses the ownership. */
  readonly lost: AbortSignal;
  /**
   * Tries once to become the owner. A newer program terminates the session of an older owner, which could not build the
   * newer read models or read the newer events.
   * @param edition version of the program; higher means newer.
   */
  tryAcquire(edition: number): Promise<boolean>;
  /** Waits briefly for another process's commit. @returns moved checkpoints, or undefined if the caller must read all. */
  untilNews(signal: AbortSignal): Promise<Advances | undefined>;
  /** Notifies the owner that this process waits for the tables, because the owner may be pausing. */
  announceAwaited(): void;
  /** Calls `call` whenever another process reports that it waits for the tables. */
  onAwaited(call: () => void): void;
}

/** The database of a projector's tables. Services do not use it. */
export interface ProjectionStorage {
  /** The database's name for messages, without a password. */
  readonly place: string;
  readonly service: string;
  readonly connection: WriteConnection;
  /** Builds SQL for the writing connection; executes nothing. */
  readonly compiler: Kysely<unknown>;
  readonly dialect: Dialect;
  readonly checkpoints: Checkpoints;
  readonly stoppedStreams: StoppedStreams;
  readonly ownership: Ownership;
  /** True if other processes read the checkpoints. */
  readonly isWatched: boolean;
  /** Returns a projection's own tables (empty `suffix`), or a second set of them. */
  tables(definitions: TableDefinitions, suffix?: string): TableSet;
  /** Runs `work` while no other work of this process uses the tables. */
  exclusively<Result>(work: () => Promise<Result>): Promise<Result>;
  /**
   * Runs `work` in a transaction. Call only inside `exclusively`.
   * @param ending the last statements, which an engine may send together with the commit. No other statement may depend on
   *   their result. Before `work` returns, it must have sent all its other statements.
   */
  transaction<Result>(work: () => Promise<Result>, ending?: () => Promise<unknown>): Promise<Result>;
  /** Runs independent statements, which an engine may send together. Call only inside `exclusively`. */
  apart<Result>(work: () => Promise<Result>): Promise<Result>;
  /** Announces moved checkpoints at the commit; without an argument, other processes read all checkpoints. */
  announce(advances?: Advances): Promise<void>;
  /** Returns true if an error comes from the database (disk, connection) and not from an event. */
  isDatabaseFailure(error: unknown): boolean;
}
