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
import { hears, type SharedTail } from "./shared-tail.ts";
import { type ReadingSource, readLastPosition } from "./stream-reading.ts";

/** Told what happens to a subscription; a pino logger fits. */
export interface AdapterLogger {
  warn(fields: object, message: string): void;
}

/** What following takes. */
export interface FollowingSource extends ReadingSource {
  readonly logger: AdapterLogger | undefined;
  /** Where subscriptions that have reached the end of the log are one. Left out: each goes on by itself. */
  readonly tail?: SharedTail;
}

/** The position of a subscription of an empty log: that of the embedded store, and never sent to the server. */
const beforeFirst = 0n;

/**
 * Follows `$all`, filtered by the server, for as long as the signal lets it. A subscription that breaks (a lost
 * connection, a server that starts again, "Consumer too slow") is made anew after the last position that was given:
 * nothing is missed and nothing comes twice.
 *
 * Before each subscription the end of the log is asked for. When the server then says that we have caught up, we have
 * seen everything up to there, so this is a position that can be given although no event has it that passed the filter.
 *
 * With a tail, whoever has come to the end of the log goes on there, and comes back here where that ends. Whoever is there from the
 * first needs no subscription of his own.
 *
 * @throws EventStoreFailedError for a position that this log has not reached: it was given by another one.
 * @throws EventStoreDbError the server refuses the subscription.
 */
export async function* subscribeToLog(
  source: FollowingSource,
  options: SubscribeOptions,
  signal: AbortSignal,
): AsyncGenerator<EventBatch, void, undefined> {
  const cursor = new Cursor(options);
  // Whoever hears no stream at all has nothing to share.
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
      source.continuity?.doubt();
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

/** Besides what passes for everyone: a certificate that expired under way is renewed while the system runs. */
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
      // Live, silence is what is to be expected; a dead peer is noticed by gRPC's keep-alive.
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
      if (run.tells(caughtUp)) yield run.batch(caughtUp);
    }
  } finally {
    signal.removeEventListener("abort", stop);
    reader.cancel();
  }
}

/** No stream's name starts with this: names that do are EventStoreDB's own, and it has none such. */
const nothing = "$hostledger-hears-nothing";
/** Every stream but EventStoreDB's own. */
const notSystem = "^[^$]";

/** A subscription to `$all`, filtered by EventStoreDB. An empty list of prefixes is no filter to it, so one is named. */
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

/** Where a subscription is, over all its connections. */
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

  /** What the next subscription begins after. */
  get after(): Position | "start" {
    return this.#after ?? "start";
  }

  /**
   * At the first subscription: `end` is where the log ends at that moment, so that nothing after it is missed.
   * @returns whether it is the first, and begins there.
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

  /** True when the position had not been reached. */
  advance(position: Position): boolean {
    if (this.#after !== undefined && position <= this.#after) return false;
    this.#after = position;
    return true;
  }
}

/** What one take makes of the messages: events that are the port's, and the position up to which all was seen. */
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
        // While catching up the server may tell a place beyond the last event, which is no event's: it is left aside.
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

  /** Whether there is something to tell. */
  tells(caughtUp: boolean): boolean {
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

/** EventStoreDB's own streams and events (metadata, links, tombstones) begin with `$` and are none of the port's. */
function isWanted({ stream, type }: RecordedEvent, prefixes: readonly string[] | undefined): boolean {
  return !stream.startsWith("$") && !type.startsWith("$") && hears(prefixes, stream);
}
