import type { DomainEvent, EventCodec } from "@hostledger/core";
import type { CodecOfCategory, EventStore, Position } from "@hostledger/store";
import type { Tracing } from "@hostledger/runtime";
import type { EventLoop, Timing } from "@hostledger/runtime/async";

import type { AnyProjection } from "../projection.ts";
import type { StoppedStream, StoredStop } from "../storage/stopped-streams.ts";
import type { ReadModelDatabase } from "../read-model-database.ts";
import type { Place } from "./position.ts";
import type { ProjectionHealth } from "./projection-slot.ts";
import type { RebuildReport } from "./rebuild.ts";

/** Logger of the projector, with pino's signature. */
export interface ProjectorLogger {
  info(detail: object, message: string): void;
  warn(detail: object, message: string): void;
}

export interface ProjectorOptions<Event extends DomainEvent> {
  readonly store: EventStore;
  readonly database: Pick<ReadModelDatabase<never>, "storage">;
  readonly codec: EventCodec<Event>;
  /**
   * Returns the codec of a category. An event that the codec cannot read, or that contradicts earlier events, stops its
   * stream. Services pass `codecOfCategory`.
   */
  readonly codecOf: CodecOfCategory;
  readonly projections: readonly AnyProjection<Event>[];
  readonly logger?: ProjectorLogger;
  /** Maximum events per transaction and per turn of the event loop. Default: 1,000. */
  readonly batchSize?: number;
  /** Pause after a commit while nobody waits in any process, in milliseconds, to join commits. Default: 100. */
  readonly restMs?: number;
  /** Clock of the pauses. Default: the machine's clock. */
  readonly timing?: Timing;
  /** Returns whether other work keeps the thread busy. Default: this thread's event loop. */
  readonly eventLoop?: EventLoop;
  /** Traces the events of a request; absent without a collector. */
  readonly tracing?: Tracing;
}

export interface ProjectionStatus extends Omit<ProjectionHealth, "position"> {
  readonly version: number;
  /** As in `health`; also for tables of another version, which are read until they are rebuilt. */
  readonly position: Position | undefined;
  /** Distance to the end of the log, in the log's own units; 0 at the end. */
  readonly behind: bigint;
  readonly rows: number;
  readonly stopped: readonly StoppedStream[];
}

export interface AfterOptions {
  /** Needed projections. Default: all that are not stopped. */
  readonly names?: readonly string[];
  /** Maximum wait in milliseconds. Default: 5,000. */
  readonly limitMs?: number;
  /** False if no answer waits, so the projector keeps its pauses and joins commits. Default: true. */
  readonly isUrgent?: boolean;
}

/** Keeps the tables of projections up to date with the log. */
export interface Projector {
  /**
   * Builds tables that are missing or of another version, then follows the log until the signal aborts or the store
   * closes. After a failure call it again: it resumes at the checkpoints. Streams whose stopping event can now be read,
   * or was skipped by staff, catch up by a rebuild beside the tables in use.
   * @throws any error of the store or the database.
   */
  run(signal: AbortSignal): Promise<void>;

  /** Resolves when the tables are built and have reached the end of the log for the first time, or when the signal aborts. */
  ready(signal?: AbortSignal): Promise<void>;

  /**
   * Waits until projections have committed an event, so that clients read their own writes. False after the limit, and
   * at once if a named projection is parked before the event or not built yet: the caller reads on anyway.
   * @throws any error of the store, which is asked about a stream or the end of the log only.
   */
  after(place: Place, options?: AfterOptions): Promise<boolean>;

  /**
   * Rebuilds one projection, or all in one pass, while the old tables stay in use.
   * @throws ReadModelError the projection does not exist, a rebuild is running, or the signal aborted.
   */
  rebuild(name?: string, signal?: AbortSignal): Promise<readonly RebuildReport[]>;

  /** Returns the stopped streams by projection. Cheap enough for every answer. */
  stopped(): readonly StoredStop[];

  /** Streams that were stopped when this process took the tables over. A program that can read their events resumes them. */
  readonly stoppedAtStart: readonly StoredStop[];

  /** Number of events of other software that the projections skipped since the start. */
  foreignEvents(): number;

  health(): readonly ProjectionHealth[];

  /** Names of stale projections, as in `health`. Cheap enough for every answer. */
  stale(): readonly string[];

  /** Reads tables and log: for people, not for every request. */
  status(): Promise<readonly ProjectionStatus[]>;
}
