import { TemporarilyUnavailableError } from "@hostledger/core";

export { EventStoreFailedError } from "./event-store-failed.error.ts";

/**
 * The event store port: what Hostledger needs of the system of record, in its own words. Two engines implement it,
 * the embedded store and EventStoreDB; `describeEventStoreContract` states the behaviour both must show.
 */

/** A place in the log of all events. Opaque and ordered: persist and send back only positions you were given. */
export type Position = bigint;

/** The revision the caller believes a stream's last event has; the first event of a stream has revision 0. */
export type ExpectedRevision = bigint | "no-stream" | "stream-exists" | "any";

/** An event ready to be stored. `data` and `metadata` are JSON texts and are kept byte for byte. */
export interface EventToAppend {
  /** UUID. Deterministic: the same fact has the same id, however often it is sent. */
  readonly id: string;
  /** Stored type, for example `BalanceCharged.v1`. */
  readonly type: string;
  readonly data: string;
  readonly metadata: string;
}

/** An event that was stored elsewhere, with the time at which it was. */
export interface EventToRestore extends EventToAppend {
  /** ISO 8601 UTC with six fractional digits. */
  readonly time: string;
}

/** A stored event. */
export interface RecordedEvent extends EventToAppend {
  readonly stream: string;
  readonly revision: bigint;
  readonly position: Position;
  /** When it was stored: ISO 8601 UTC with six fractional digits. */
  readonly time: string;
}

/** The outcome of an append, also of a repeated one: the original revision and position. */
export interface AppendResult {
  /** Revision of the last event of the append. */
  readonly revision: bigint;
  /** Position of the last event of the append. */
  readonly position: Position;
}

/** Where and how far to read. */
export interface ReadOptions {
  /** First revision to read; by default the first (forwards) or the last (backwards). Inclusive. */
  readonly from?: bigint;
  readonly direction?: "forwards" | "backwards";
  /** At most so many events. Default: all. */
  readonly limit?: number;
  /** Asks the node that takes appends, and what is stored there rather than what is in memory. Default: false. */
  readonly fromLeader?: boolean;
}

/** What to hear of. */
export interface SubscribeOptions {
  /** Hears events after this position (exclusive); `start`: all of them; `end`: only later ones. */
  readonly from: Position | "start" | "end";
  /** Only streams whose name starts with one of these. Default: every stream. */
  readonly streamPrefixes?: readonly string[];
  /**
   * Gives what lies on the disk now, also where the engine still has it in memory: for whoever looks for what was changed
   * there. An engine that is another program gives what it gives. Default: false.
   */
  readonly fromDisk?: boolean;
  /** Ends the subscription. */
  readonly signal?: AbortSignal;
}

/** A run of events in log order. Catching up comes in large batches, live events as they are committed. */
export interface EventBatch {
  readonly events: readonly RecordedEvent[];
  /** Everything up to here has been seen, events that the filter left out too. Resume from here. */
  readonly position: Position;
  /** True when the subscription has reached the end of the log with this batch. It may hold no event then. */
  readonly caughtUp: boolean;
}

/** An event that was seen in the store, by what identifies it there. */
export interface SeenEvent {
  readonly stream: string;
  readonly revision: bigint;
  readonly id: string;
  /** How often staff had accepted an older copy of the store by then. Default: 0. */
  readonly series?: number;
}

/** Whether the store is still the one that was read: it may have been put back to an older copy. */
export interface StoreLineage {
  /** Grows when the store turns out to be an older copy. States that were folded under a smaller number are void. */
  readonly generation: number;
  /** How often staff have accepted an older copy, as far as this process has heard. */
  readonly series: number;
  /** True while nothing that costs money may be written, until staff accept the store. */
  readonly isRewound: boolean;
  /** Compares the store with an event that an earlier run of a process has seen. @throws EventStoreUnavailableError */
  suspect(seen: SeenEvent): Promise<void>;
}

/** The system of record. */
export interface EventStore {
  /** Says whether the store is still the one that was read. Absent: nobody watches it. */
  readonly lineage?: StoreLineage;

  /**
   * True when other processes may append to the same streams: a state kept in memory may then be behind its stream, and
   * nothing is answered from it that the stream's tail has not confirmed. Absent means false.
   */
  readonly shared?: boolean;

  /**
   * Bytes of data and metadata that an event takes in an append, where the store keeps other bytes than it is given: never
   * less than it will be. Absent means as many as are given.
   */
  bytesOf?(event: EventToAppend): number;

  /**
   * Stores the events of one stream, all or none, durably: when it answers, they survive a power cut.
   * A repeat with the same ids and the original expected revision succeeds with the original answer.
   *
   * @throws WrongExpectedRevisionError the stream is elsewhere; nothing was stored.
   * @throws InvalidAppendError the events break a limit or a rule; nothing was stored.
   * @throws EventStoreOverloadedError the queue is full; nothing was stored, try again later.
   * @throws EventStoreUnavailableError not known whether it was stored: repeat it unchanged.
   */
  append(stream: string, expected: ExpectedRevision, events: readonly EventToAppend[]): Promise<AppendResult>;

  /**
   * As `append`, for events that were stored elsewhere: they keep the time of the first of them. Appends and restores
   * are stored in the order in which they were sent, however many are on their way. Only an engine that can do both has
   * it; EventStoreDB stamps its own time.
   *
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
   * The position of the last event of the log, or undefined when it is empty. An engine's own events count, so it may be
   * after the last event that a subscription gives; it is never before a position that the store has given.
   */
  lastPosition(): Promise<Position | undefined>;

  /**
   * When the last event of the log was stored, as the store's own clock said: ISO 8601 UTC with six fractional digits. What
   * an engine writes for itself at the end is passed over, as far as it looks back.
   * Undefined when the log is empty. An engine has it; what stands before an engine need not.
   */
  lastTime?(): Promise<string | undefined>;

  /** Finishes what was queued, ends subscriptions and releases everything. */
  close(): Promise<void>;
}

/** The stream's last revision is not the expected one. */
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

/** The store did not answer: the append may be stored. Repeating it unchanged is safe. */
export class EventStoreUnavailableError extends TemporarilyUnavailableError {
  override readonly name = "EventStoreUnavailableError";
}

/** Limits of one append: EventStoreDB's of bytes and names, and one of ours, since it lets any number of empty events pass. */
export const appendLimits = {
  /** Events in one append. */
  events: 50_000,
  /** Events up to which this project joins what it appends itself: a longer append would hold up the others. */
  joinedEvents: 1_000,
  /** Bytes of data and metadata in one append. */
  bytes: 1_048_576,
  /** Characters of a stream name. */
  streamName: 500,
} as const;
