import { TemporarilyUnavailableError } from "@hostledger/core";

export { EventStoreFailedError } from "./event-store-failed.error.ts";

/**
 * The event store port: Hostledger's interface to the system of record. Its engines are the embedded store and
 * EventStoreDB; `describeEventStoreContract` tests the behaviour of both.
 */

/** A place in the log of all events. Opaque and ordered: store and send back only positions that the store returned. */
export type Position = bigint;

/** The expected last revision of a stream; the first event of a stream has revision 0. */
export type ExpectedRevision = bigint | "no-stream" | "stream-exists" | "any";

/** An event to store. `data` and `metadata` are JSON texts, stored byte for byte. */
export interface EventToAppend {
  /** Deterministic UUID: a repeated event has the same id. */
  readonly id: string;
  /** Stored type, for example `BalanceCharged.v1`. */
  readonly type: string;
  readonly data: string;
  readonly metadata: string;
}

/** An event from another store, with its original time. */
export interface EventToRestore extends EventToAppend {
  /** ISO 8601 UTC with six fractional digits. */
  readonly time: string;
}

export interface RecordedEvent extends EventToAppend {
  readonly stream: string;
  readonly revision: bigint;
  readonly position: Position;
  /** Time of storage: ISO 8601 UTC with six fractional digits. */
  readonly time: string;
}

/** Revision and position of an append's last event. A repeated append gets the original ones. */
export interface AppendResult {
  readonly revision: bigint;
  readonly position: Position;
}

export interface ReadOptions {
  /** First revision to read, inclusive. Default: the first (forwards) or the last (backwards). */
  readonly from?: bigint;
  readonly direction?: "forwards" | "backwards";
  /** Maximum events. Default: all. */
  readonly limit?: number;
  /** Reads from the leader node, and from disk instead of memory. Default: false. */
  readonly fromLeader?: boolean;
}

export interface SubscribeOptions {
  /** Delivers events after this position (exclusive); `start`: all events; `end`: only later ones. */
  readonly from: Position | "start" | "end";
  /** Only streams whose name starts with one of these. Default: every stream. */
  readonly streamPrefixes?: readonly string[];
  /**
   * Reads from disk even if the engine has the events in memory, to find changes in the file. A remote engine may ignore
   * this. Default: false.
   */
  readonly fromDisk?: boolean;
  readonly signal?: AbortSignal;
}

/** Consecutive events in log order. Batches are large during catch-up; live events come as they are committed. */
export interface EventBatch {
  readonly events: readonly RecordedEvent[];
  /** Position up to which the log was read, filtered events included. Resume from here. */
  readonly position: Position;
  /** True if the subscription has reached the end of the log. The batch may then be empty. */
  readonly caughtUp: boolean;
}

/** Identity of an event that was read from the store. */
export interface SeenEvent {
  readonly stream: string;
  readonly revision: bigint;
  readonly id: string;
  /** Number of older backups that staff had accepted by then. Default: 0. */
  readonly series?: number;
}

/** Detects that the store was restored from an older backup. */
export interface StoreLineage {
  /** Grows each time the store turns out to be restored from an older backup. States folded in a lower generation are invalid. */
  readonly generation: number;
  /** Number of older backups that staff have accepted, as far as this process knows. */
  readonly series: number;
  /** True while nothing that costs money may be written, until staff accept the store. */
  readonly isRewound: boolean;
  /** Compares the store with an event that an earlier process has read. @throws EventStoreUnavailableError */
  suspect(seen: SeenEvent): Promise<void>;
}

export interface EventStore {
  /** Detects a replaced store. Absent: nobody checks. */
  readonly lineage?: StoreLineage;

  /**
   * True if other processes may append to the same streams. A cached state may then be outdated, so answers are confirmed
   * by the stream's tail. Absent means false.
   */
  readonly shared?: boolean;

  /**
   * Returns the bytes of an event in an append, if the store adds bytes; never less than the real size. Absent: bytes of
   * data and metadata.
   */
  bytesOf?(event: EventToAppend): number;

  /**
   * Stores events of one stream, all or none. After the answer they survive a power cut. A repeat with the same ids and
   * the original expected revision gets the original answer.
   * @throws WrongExpectedRevisionError the stream has another revision; nothing was stored.
   * @throws InvalidAppendError the events break a limit or a rule; nothing was stored.
   * @throws EventStoreOverloadedError the queue is full; nothing was stored, try again later.
   * @throws EventStoreUnavailableError unknown whether it was stored: repeat it unchanged.
   */
  append(stream: string, expected: ExpectedRevision, events: readonly EventToAppend[]): Promise<AppendResult>;

  /**
   * Appends events from another store with the time of the first of them. Appends and restores are stored in the order of
   * the calls, however many are in progress. Absent in EventStoreDB, which sets its own time.
   * @throws as `append`
   */
  restore?(
    stream: string,
    expected: ExpectedRevision,
    events: readonly EventToRestore[],
  ): Promise<AppendResult>;

  /** Reads one stream. A missing stream yields nothing. */
  read(stream: string, options?: ReadOptions): AsyncIterable<RecordedEvent>;

  /** Follows the log until the signal aborts or the store closes; then the iteration ends. */
  subscribe(options: SubscribeOptions): AsyncIterable<EventBatch>;

  /**
   * Returns the position of the last event of the log; undefined if it is empty. An engine's own events count, so the
   * position may be after the last event of a subscription. It is never before a position that the store returned.
   */
  lastPosition(): Promise<Position | undefined>;

  /**
   * Returns the time of storage of the log's last event by the store's clock (ISO 8601 UTC with six fractional digits);
   * undefined if the log is empty. Recent events of the engine itself are skipped. Engines implement it; wrappers may
   * omit it.
   */
  lastTime?(): Promise<string | undefined>;

  /** Finishes queued work, ends subscriptions and releases all resources. */
  close(): Promise<void>;
}

export class WrongExpectedRevisionError extends Error {
  override readonly name = "WrongExpectedRevisionError";
  readonly stream: string;
  readonly expected: ExpectedRevision;
  /** The stream's last revision, or `no-stream`. */
  readonly actual: bigint | "no-stream";

  constructor(stream: string, expected: ExpectedRevision, actual: bigint | "no-stream") {
    super(`stream ${stream}: expected revision ${String(expected)}, it is ${String(actual)}`);
    this.stream = stream;
    this.expected = expected;
    this.actual = actual;
  }
}

/** The append breaks a limit or a rule of the store (see `appendLimits`). */
export class InvalidAppendError extends Error {
  override readonly name = "InvalidAppendError";
}

/** The store's queue is full: nothing was stored. */
export class EventStoreOverloadedError extends Error {
  override readonly name = "EventStoreOverloadedError";
}

/** The store did not answer: the append may be stored. A repetition without changes is safe. */
export class EventStoreUnavailableError extends TemporarilyUnavailableError {
  override readonly name = "EventStoreUnavailableError";
}

/** Limits of one append: EventStoreDB's for bytes and names, and our own for events, because EventStoreDB has none. */
export const appendLimits = {
  events: 50_000,
  /** Maximum events that Hostledger joins in one append; a longer append would delay others. */
  joinedEvents: 1_000,
  /** Bytes of data and metadata in one append. */
  bytes: 1_048_576,
  streamName: 500,
} as const;
