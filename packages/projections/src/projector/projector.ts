import type { DomainEvent, EventCodec } from "@hostledger/core";
import type { CodecOfCategory, EventStore, Position } from "@hostledger/event-store";
import type { Tracing } from "@hostledger/runtime";
import type { EventLoop, Timing } from "@hostledger/runtime/async";

import type { AnyProjection } from "../projection.ts";
import type { StoppedStream, StoredStop } from "../storage/stopped-streams.ts";
import type { ReadModelDatabase } from "../read-model-database.ts";
import type { ProjectionHealth } from "./projection-slot.ts";
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
  /**
   * What reads the events of a category's streams, and no others: an event that it cannot read, or that contradicts those before it by
   * its rules, stops its stream. Services give `codecOfCategory`.
   */
  readonly codecOf: CodecOfCategory;
  readonly projections: readonly AnyProjection<Event>[];
  readonly logger?: ProjectorLogger;
  /** Events in one transaction, and between two turns of the event loop. Default: 1,000. */
  readonly batchSize?: number;
  /**
   * How long it rests after a commit, in milliseconds, while nobody waits in any process: what comes meanwhile is one commit. Default: 100.
   */
  readonly restMs?: number;
  /** By what it rests. Default: the machine's time. */
  readonly timing?: Timing;
  /** By what it hears whether others keep the thread busy. Default: that of this thread. */
  readonly eventLoop?: EventLoop;
  /** Where a collector wants to know what becomes of the facts of a request. */
  readonly tracing?: Tracing;
}

/** All there is to tell about a projection. */
export interface ProjectionStatus extends Omit<ProjectionHealth, "position"> {
  readonly version: number;
  /** As in `health`; of tables of another version too, which are read until they are built anew. */
  readonly position: Position | undefined;
  /** Distance to the end of the log, in the log's own units; 0 when nothing is missing. */
  readonly behind: bigint;
  readonly rows: number;
  /** Streams whose rows stand still. */
  readonly stopped: readonly StoppedStream[];
}

/** Keeps the tables of some projections up to date with the log. */
export interface Projector {
  /**
   * Builds what is missing or of another version, then follows the log until the signal aborts or the store closes.
   * Call it again after a failure: it resumes at the checkpoints. Streams that stopped at an event that can be read now, or that
   * staff had passed over, catch up by a rebuild beside the tables in use.
   * @throws what the store or the database throws when it fails.
   */
  run(signal: AbortSignal): Promise<void>;

  /**
   * Resolves when the tables are built and have reached the end of the log for the first time, or when the signal aborts: that may
   * take as long as the log is, and as the database is away.
   */
  ready(signal?: AbortSignal): Promise<void>;

  /**
   * Waits until projections have committed past a position: the way to read one's own writes. False after `timeoutMs`, and at
   * once where one of them is parked before it or still being built, and so will not come.
   * @param names those that are needed; by default all of them. Nobody waits for one that stands still.
   * @param endsRest false for what is in no hurry: whoever keeps the tables goes on resting (`restMs`). Default: true.
   */
  waitFor(
    position: Position,
    timeoutMs: number,
    names?: readonly string[],
    endsRest?: boolean,
  ): Promise<boolean>;

  /**
   * Builds one projection anew, or all of them in one pass, while the old tables stay in use.
   * @throws ReadModelError there is no such projection, a rebuild is running, or the signal aborted.
   */
  rebuild(name?: string, signal?: AbortSignal): Promise<readonly RebuildReport[]>;

  /** The streams whose rows stand still, by projection. Cheap enough for every answer. */
  stopped(): readonly StoredStop[];

  /** Those that stood still when the process took the tables over: a program that can read their events lets them go on. */
  readonly stoppedAtStart: readonly StoredStop[];

  /** How many events of other software the projections have passed over since the process started. */
  foreignEvents(): number;

  health(): readonly ProjectionHealth[];

  /** Which are stale, as `health` has it, by name: cheap enough for every answer. */
  stale(): readonly string[];

  /** Reads tables and log: for people, not for every request. */
  status(): Promise<readonly ProjectionStatus[]>;
}
