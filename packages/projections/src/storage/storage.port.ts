import type { Position } from "@hostledger/event-store";
import type { Kysely } from "kysely";

import type { TableDefinitions } from "../tables.ts";
import type { Checkpoints } from "./checkpoints.ts";
import type { Dialect, WriteConnection } from "./engine.port.ts";
import type { TableSet } from "./table-set.ts";

/** Who writes the tables, where several processes could. */
export interface Ownership {
  /** True while this process is the one. */
  readonly isHeld: boolean;
  /** Tries once to become the one. */
  tryAcquire(): Promise<boolean>;
  /** Waits until another process has committed something, or for a moment. */
  untilNews(signal: AbortSignal): Promise<void>;
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
  readonly ownership: Ownership;
  /** A projection's tables: their own (`suffix` empty), or a set that is built beside them. */
  tables(definitions: TableDefinitions, suffix?: string): TableSet;
  /** Runs `work` when nobody else of this process is at the tables, and nobody else while it runs. */
  exclusively<Result>(work: () => Promise<Result>): Promise<Result>;
  /** All or nothing; only inside `exclusively`. */
  transaction<Result>(work: () => Promise<Result>): Promise<Result>;
  /** Tells other processes how far the tables have come, when the transaction commits. */
  announce(position: Position): Promise<void>;
  /** True when the error blames the database itself (disk, connection), so that no event is to blame. */
  isDatabaseFailure(error: unknown): boolean;
}
