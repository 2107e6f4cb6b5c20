import type { Backoff } from "@hostledger/runtime/async";

import {
  EventStoreUnavailableError,
  type Position,
  type ReadOptions,
  type RecordedEvent,
} from "@hostledger/store";

import type { LogMessage } from "../codec/log-message.codec.ts";
import { encodeRead } from "../codec/read-request.codec.ts";
import { largestRevision } from "../codec/wire-values.codec.ts";
import { isPassing, portError } from "./client-failure.ts";
import type { Connection } from "./connection.ts";
import { BufferedReader } from "./buffered-reader.ts";
import { createBackoff, type EventStoreDbLimits } from "./limits.ts";

/**
 * Notified of broken connections, and consulted before the store continues, because the server may have come back
 * with another log.
 */
export interface Continuity {
  invalidate(): void;
  /** Waits until the log was compared, if a comparison is necessary. */
  settled(): Promise<void>;
  /** Number of the copy of the log that the server has, as far as known; another number means another copy. */
  readonly generation: number;
  /**
   * Waits like `settled`, for an append that began under a generation.
   * @throws Error if the log is another copy now.
   */
  admitUnder(generation: number): Promise<void>;
}

export interface ReadingSource {
  readonly continuity?: Continuity;
  readonly connection: Connection;
  readonly limits: EventStoreDbLimits;
  /** Aborts when the store closes. */
  readonly closed: AbortSignal;
}

/**
 * Reads a stream page by page. After a lost connection or a silent server, the read pauses and resumes after the last
 * returned event.
 * @throws EventStoreUnavailableError if the server does not answer in time.
 * @throws EventStoreDbError if it refuses.
 */
export async function* readStream(
  source: ReadingSource,
  stream: string,
  { direction = "forwards", from, limit = Number.MAX_SAFE_INTEGER }: ReadOptions,
): AsyncGenerator<RecordedEvent, void, undefined> {
  const backwards = direction === "backwards";
  let next = firstRevision(from, backwards);
  let left = limit;
  while (left > 0 && next !== undefined) {
    const count: number = Math.min(left, source.limits.pageEvents);
    let received = 0;
    for await (const event of readPage(source, stream, { from: next, backwards, count })) {
      received += 1;
      next = event.revision + (backwards ? -1n : 1n);
      yield event;
    }
    left -= received;
    if (received < count || (typeof next === "bigint" && next < 0n)) return;
  }
}

/** Links are not resolved, and ids are texts. */
const plainRead = { resolveLinks: false, structuredIds: false, filter: undefined } as const;

/** Backwards from the end of `$all`. */
const lastOfLog = { ...plainRead, stream: undefined, from: "end", backwards: true } as const;

/** Maximum events at the end of `$all` that are searched for one of ours. */
const lookBackEvents = 256;

/** Treats revisions beyond both ends as the embedded store does; undefined if there is nothing to read. */
function firstRevision(from: bigint | undefined, backwards: boolean): bigint | "end" | undefined {
  if (!backwards) {
    if (from === undefined || from < 0n) return 0n;
    return from > largestRevision ? undefined : from;
  }
  if (from === undefined || from > largestRevision) return "end";
  return from < 0n ? undefined : from;
}

interface Page {
  readonly from: bigint | "end";
  readonly backwards: boolean;
  readonly count: number;
}

/** Reads the events of one page, over as many connections as necessary. */
async function* readPage(
  source: ReadingSource,
  stream: string,
  { from, backwards, count }: Page,
): AsyncGenerator<RecordedEvent, void, undefined> {
  const what = `reading stream ${stream}`;
  let next = from;
  let left = count;
  const backoff = createBackoff(source.limits);
  while (left > 0) {
    refuseWhenClosed(source.closed);
    const request = encodeRead({ ...plainRead, stream, from: next, backwards, limit: left });
    let reader: BufferedReader | undefined;
    try {
      reader = await BufferedReader.open(source.connection, request, source.limits);
      for (;;) {
        const messages = await takeOrEnd(reader, source);
        if (messages.length === 0) return;
        backoff.reset();
        for (const message of messages) {
          if (message.kind === "missing-stream") return;
          if (message.kind !== "event") continue;
          left -= 1;
          next = message.event.revision + (backwards ? -1n : 1n);
          yield message.event;
        }
        if (typeof next === "bigint" && next < 0n) return;
      }
    } catch (failure) {
      await pauseOrThrow(failure, { what, backoff, source });
    } finally {
      reader?.cancel();
    }
  }
}

async function takeOrEnd(
  reader: BufferedReader,
  { closed, limits }: ReadingSource,
): Promise<readonly LogMessage[]> {
  const end = (): void => {
    reader.cancel();
  };
  closed.addEventListener("abort", end, { once: true });
  try {
    const messages = await reader.take(limits.silenceMs);
    refuseWhenClosed(closed);
    return messages;
  } finally {
    closed.removeEventListener("abort", end);
  }
}

/** Position of the last event of `$all`, EventStoreDB's own events included. Undefined if there is none. */
export async function readLastPosition(source: ReadingSource): Promise<Position | undefined> {
  return (await readLastEvent(source))?.position;
}

/**
 * Last event of `$all` that is ours. If the searched end only has events of EventStoreDB, the last of those.
 * Undefined if there is none.
 */
export function findLastEvent(source: ReadingSource): Promise<RecordedEvent | undefined> {
  return readLastEvent(source, { among: lookBackEvents, isWanted: ({ stream }) => !stream.startsWith("$") });
}

interface LastEventOptions {
  readonly backoff?: Backoff;
  /** Events to read from the end. */
  readonly among?: number;
  /** Default: only the last event. */
  readonly isWanted?: (event: RecordedEvent) => boolean;
}

/** Returns the last wanted event of `$all`, or else the very last event. Undefined if there is none. */
export async function readLastEvent(
  source: ReadingSource,
  { backoff = createBackoff(source.limits), among = 1, isWanted = () => true }: LastEventOptions = {},
): Promise<RecordedEvent | undefined> {
  for (;;) {
    refuseWhenClosed(source.closed);
    let reader: BufferedReader | undefined;
    try {
      const request = encodeRead({ ...lastOfLog, limit: among });
      reader = await BufferedReader.open(source.connection, request, source.limits);
      return await firstWanted(reader, source, isWanted);
    } catch (failure) {
      await pauseOrThrow(failure, { what: "reading the end of the log", backoff, source });
    } finally {
      reader?.cancel();
    }
  }
}

/** Returns the first wanted event of a read, or else its first event. */
async function firstWanted(
  reader: BufferedReader,
  source: ReadingSource,
  isWanted: (event: RecordedEvent) => boolean,
): Promise<RecordedEvent | undefined> {
  let first: RecordedEvent | undefined;
  for (;;) {
    const messages = await takeOrEnd(reader, source);
    if (messages.length === 0) return first;
    for (const message of messages) {
      if (message.kind !== "event") continue;
      if (isWanted(message.event)) return message.event;
      first ??= message.event;
    }
  }
}

async function pauseOrThrow(
  failure: unknown,
  { what, backoff, source }: { what: string; backoff: Backoff; source: ReadingSource },
): Promise<void> {
  refuseWhenClosed(source.closed);
  const silent = failure instanceof EventStoreUnavailableError;
  if (!silent && !isPassing(failure)) throw portError(failure, what);
  source.continuity?.invalidate();
  if (backoff.isOver) {
    if (silent) throw failure;
    throw portError(failure, what);
  }
  await backoff.pause(source.closed);
}

/** @throws EventStoreUnavailableError after `close`. */
export function refuseWhenClosed(closed: AbortSignal): void {
  if (closed.aborted) throw new EventStoreUnavailableError("the event store is closed");
}
