import type { DomainEvent, EventCodec } from "@hostledger/core";
import type { EventStore, Position } from "@hostledger/event-store";

import type { AnyProjection } from "../projection.ts";
import type { ReadModelDatabase } from "../read-model-database.ts";
import type { ProjectionState } from "./projection-slot.ts";
import type { RebuildReport } from "./rebuild.ts";

/** Hears what the projector does; pino's signature. */
export interface ProjectorLogger {
  info(detail: object, message: string): void;
  warn(detail: object, message: string): void;
}

/** What a projector is made of. */
export interface ProjectorOptions<Event extends DomainEvent> {
  readonly store: EventStore;
  readonly database: Pick<ReadModelDatabase<never>, "storage">;
  readonly codec: EventCodec<Event>;
  readonly projections: readonly AnyProjection<Event>[];
  /** The categories its events live in, for example `account-`. Every event type in them must be known. */
  readonly streamPrefixes: readonly string[];
  readonly logger?: ProjectorLogger;
  /** Events in one transaction, and between two turns of the event loop. Default: 1,000. */
  readonly batchSize?: number;
}

/** A projection's health: cheap, for readiness checks and for marking answers as stale. */
export interface ProjectionHealth {
  readonly name: string;
  readonly state: ProjectionState;
  /** Why it is parked, naming the event. */
  readonly reason?: string;
  /** The last position its tables reflect; absent before the first. */
  readonly position?: Position;
}

/** All there is to tell about a projection. */
export interface ProjectionStatus extends Omit<ProjectionHealth, "position"> {
  readonly version: number;
  /** As in `health`; of tables of another version too, which are read until they are built anew. */
  readonly position: Position | undefined;
  /** Distance to the end of the log, in the log's own units; 0 when nothing is missing. */
  readonly behind: bigint;
  readonly rows: number;
}

/** Keeps the tables of some projections up to date with the log. */
export interface Projector {
  /**
   * Builds what is missing or of another version, then follows the log until the signal aborts or the store closes.
   * Call it again after a failure: it resumes at the checkpoints and tries parked events again.
   * @throws what the store or the database throws when it fails.
   */
  run(signal: AbortSignal): Promise<void>;

  /** Resolves when the tables are built and have reached the end of the log for the first time. */
  ready(): Promise<void>;

  /**
   * Waits until every projection has committed past a position: the way to read one's own writes. False after
   * `timeoutMs`, or when a projection is parked and so will not come.
   */
  waitFor(position: Position, timeoutMs: number): Promise<boolean>;

  /**
   * Builds one projection anew, or all of them in one pass, while the old tables stay in use.
   * @throws ReadModelError there is no such projection, a rebuild is running, or the signal aborted.
   */
  rebuild(name?: string, signal?: AbortSignal): Promise<readonly RebuildReport[]>;

  health(): readonly ProjectionHealth[];

  /** Reads tables and log: for people, not for every request. */
  status(): Promise<readonly ProjectionStatus[]>;
}
