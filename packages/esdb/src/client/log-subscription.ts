import {
  type EventBatch,
  EventStoreFailedError,
  EventStoreUnavailableError,
  type Position,
  type RecordedEvent,
  type SubscribeOptions,
} from "@hostledger/store";

import type { LogMessage } from "../codec/log-message.codec.ts";
import { encodeRead, type ReadRequest } from "../codec/read-request.codec.ts";
import { classifyFailure, EventStoreDbError, isPassing, portError } from "./client-failure.ts";
import { BufferedReader } from "./buffered-reader.ts";
import { createBackoff } from "./limits.ts";
import { matchesPrefixes, type SharedTail } from "./shared-tail.ts";
import { type ReadingSource, readLastPosition } from "./stream-reading.ts";

/** Log for the events of a subscription; a pino logger fits. */
export interface AdapterLogger {
  warn(fields: object, message: string): void;
}

export interface FollowingSource extends ReadingSource {
  readonly logger: AdapterLogger | undefined;
  /** Shares one subscription at the end of the log. Default: each subscription has its own. */
  readonly tail?: SharedTail;
}

/** Position of a subscription to an empty log, as in the embedded store; it is never sent to the server. */
const beforeFirst = 0n;

/**
 * Follows `$all`, filtered by the server, until the signal aborts. After a break (a lost connection, a restarted
 * server, "Consumer too slow") it resumes after the last returned position, so no event is missing or repeated.
 * Before each subscription it asks for the end of the log. When the server reports that it caught up, that end is a
 * valid position even if no event with it passed the filter. With a shared tail, a subscription at the end of the log
 * continues there, and returns here when the tail drops it.
 * @throws EventStoreFailedError for a position beyond the end of this log, because another log returned it.
 * @throws EventStoreDbError if the server refuses the subscription.
 */
export async function* subscribeToLog(
  source: FollowingSource,
  options: SubscribeOptions,
  signal: AbortSignal,
): AsyncGenerator<EventBatch, void, undefined> {
  const cursor = new Cursor(options);
  // A subscription without streams shares nothing.
  const tail = cursor.prefixes?.length === 0 ? undefined : source.tail;
  const backoff = createBackoff(source.limits);
  const isOver = (): boolean => signal.aborted;
  while (!isOver()) {
    try {
      await source.continuity?.settled();
      if (isOver()) return;
      const end = (await readLastPosition({ ...source, closed: signal })) ?? beforeFirst;
      const isAtEnd = cursor.start(end);
      const batches =
        isAtEnd && tail !== undefined
          ? [{ events: [], position: end, caughtUp: true }]
          : subscribeOnce(source, cursor, { end, signal });
      for await (const batch of batches) {
        backoff.reset();
        yield batch;
        if (batch.caughtUp && tail !== undefined) break;
      }
      if (tail !== undefined && !isOver()) yield* goOnAt(tail, cursor, signal);
    } catch (failure) {
      if (isOver()) return;
      if (failure instanceof EventStoreFailedError) throw failure;
      if (!mayPass(failure)) throw portError(failure, "following the log");
      source.continuity?.invalidate();
      source.logger?.warn({ err: failure, position: String(cursor.after) }, "the subscription is made anew");
      await backoff.pause(signal);
    }
  }
}

async function* goOnAt(
  tail: SharedTail,
  cursor: Cursor,
  signal: AbortSignal,
): AsyncGenerator<EventBatch, void, undefined> {
  const { after, prefixes } = cursor;
  const place = { after: after === "start" ? beforeFirst : after, prefixes, signal };
  for await (const batch of tail.after(place)) {
    cursor.advance(batch.position);
    yield batch;
  }
}

/** Temporary failures, and expired certificates, because operators renew them while the system runs. */
function mayPass(failure: unknown): boolean {
  if (failure instanceof EventStoreUnavailableError) return true;
  if (failure instanceof EventStoreDbError) return failure.reason === "certificate";
  return isPassing(failure) || classifyFailure(failure) === "certificate";
}

async function* subscribeOnce(
  { connection, limits }: ReadingSource,
  cursor: Cursor,
  { end, signal }: { readonly end: Position; readonly signal: AbortSignal },
): AsyncGenerator<EventBatch, void, undefined> {
  const request = encodeRead(subscription(cursor, limits.checkpointEvents));
  const reader = await BufferedReader.open(connection, request, limits);
  const stop = (): void => {
    reader.cancel();
  };
  signal.addEventListener("abort", stop, { once: true });
  const isOver = (): boolean => signal.aborted;
  try {
    if (isOver()) return;
    let live = false;
    for (;;) {
      // A live subscription may be silent; gRPC's keep-alive notices a dead peer.
      const messages = await reader.take(live ? undefined : limits.silenceMs);
      if (isOver()) return;
      if (messages.length === 0)
        throw Object.assign(new Error("the server ended the subscription"), { code: 14 });
      const run: Run = new Run(cursor, end, live);
      for (const message of messages) {
        run.take(message);
        if (run.events.length < limits.batchEvents) continue;
        yield run.batch(false);
      }
      live = run.live;
      const caughtUp = live && reader.empty;
      if (run.hasNews(caughtUp)) yield run.batch(caughtUp);
    }
  } finally {
    signal.removeEventListener("abort", stop);
    reader.cancel();
  }
}

/** No stream's name starts with this prefix: EventStoreDB reserves it and does not use it. */
const nothing = "$hostledger-hears-nothing";
/** All streams except EventStoreDB's own. */
const notSystem = "^[^$]";

/**
 * A filtered subscription to `$all`. EventStoreDB treats an empty list of prefixes as no filter, so the list names an
 * unused prefix.
 */
function subscription({ after, prefixes }: Cursor, checkpointInterval: number): ReadRequest {
  return {
    stream: undefined,
    from: after,
    backwards: false,
    resolveLinks: false,
    structuredIds: false,
    limit: undefined,
    filter: {
      on: "stream",
      regex: prefixes === undefined ? notSystem : "",
      prefixes: prefixes?.length === 0 ? [nothing] : (prefixes ?? []),
      checkpointInterval,
    },
  };
}

/** Place of a subscription, over all its connections. */
class Cursor {
  readonly prefixes: readonly string[] | undefined;
  readonly #from: SubscribeOptions["from"];
  #after: Position | undefined;
  #started = false;

  constructor({ from, streamPrefixes }: SubscribeOptions) {
    this.#from = from;
    this.prefixes = streamPrefixes;
    this.#after = typeof from === "bigint" && from !== beforeFirst ? from : undefined;
  }

  /** Position after which the next subscription begins. */
  get after(): Position | "start" {
    return this.#after ?? "start";
  }

  /**
   * Called at the first subscription. `end` is the current end of the log, so that no later event is missed.
   * @returns true if it is the first subscription, which begins there.
   */
  start(end: Position): boolean {
    if (this.#started) return false;
    if (this.#from === "end" && end !== beforeFirst) this.#after = end;
    if (this.#after !== undefined && this.#after > end) {
      throw new EventStoreFailedError(
        `position ${String(this.#after)} is beyond the end of the event store (${String(end)}): it belongs to another store`,
      );
    }
    this.#started = true;
    return (this.#after ?? beforeFirst) === end;
  }

  /** Returns true if the position was not reached before. */
  advance(position: Position): boolean {
    if (this.#after !== undefined && position <= this.#after) return false;
    this.#after = position;
    return true;
  }
}

/** Result of one take: our events, and the position up to which the log was read. */
class Run {
  events: RecordedEvent[] = [];
  live: boolean;
  readonly #cursor: Cursor;
  readonly #end: Position;
  #advanced = false;
  #reachedEnd = false;

  constructor(cursor: Cursor, end: Position, live: boolean) {
    this.#cursor = cursor;
    this.#end = end;
    this.live = live;
  }

  take(message: LogMessage): void {
    switch (message.kind) {
      case "event":
        if (!this.#cursor.advance(message.event.position)) return;
        this.#advanced = true;
        if (isWanted(message.event, this.#cursor.prefixes)) this.events.push(message.event);
        return;
      case "checkpoint":
        // While catching up, the server may send a position beyond the last event. It belongs to no event and is
        // ignored.
        if (!this.live && message.position > this.#end) return;
        if (this.#cursor.advance(message.position)) this.#advanced = true;
        return;
      case "caught-up":
        this.live = true;
        this.#reachedEnd = true;
        if (this.#end !== beforeFirst && this.#cursor.advance(this.#end)) this.#advanced = true;
        return;
      case "fell-behind":
        this.live = false;
        return;
      case "missing-stream":
      case "other":
    }
  }

  /** True if there is an event or a position to return. */
  hasNews(caughtUp: boolean): boolean {
    return this.#advanced || (caughtUp && this.#reachedEnd);
  }

  batch(caughtUp: boolean): EventBatch {
    const { events } = this;
    this.events = [];
    this.#advanced = false;
    const { after } = this.#cursor;
    return { events, position: after === "start" ? beforeFirst : after, caughtUp };
  }
}

/** EventStoreDB's own streams and events (metadata, links, tombstones) begin with `$`; the port skips them. */
function isWanted({ stream, type }: RecordedEvent, prefixes: readonly string[] | undefined): boolean {
  return !stream.startsWith("$") && !type.startsWith("$") && matchesPrefixes(prefixes, stream);
}
