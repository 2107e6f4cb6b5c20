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

/** What is told of broken connections, and asked before anything goes on: the server may have come back with another log. */
export interface Continuity {
  doubt(): void;
  /** Waits until the log was compared, where there is a doubt. */
  settled(): Promise<void>;
  /** Which copy of the log the server gives, as far as that is known: another number, another copy. */
  readonly generation: number;
  /** Waits as `settled`, for an append that began under a generation. @throws Error where the log is another copy now. */
  admitUnder(generation: number): Promise<void>;
}

/** What reading takes. */
export interface ReadingSource {
  readonly continuity?: Continuity;
  readonly connection: Connection;
  readonly limits: EventStoreDbLimits;
  /** Aborts when the store closes. */
  readonly closed: AbortSignal;
}

/**
 * Reads a stream page by page. A lost connection or a silent server costs a pause: the reading goes on after the last
 * event that was given.
 *
 * @throws EventStoreUnavailableError the server did not answer for as long as it is asked.
 * @throws EventStoreDbError it refuses.
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

/** Links are not followed, and ids are texts. */
const plainRead = { resolveLinks: false, structuredIds: false, filter: undefined } as const;

/** Backwards from the end of `$all`. */
const lastOfLog = { ...plainRead, stream: undefined, from: "end", backwards: true } as const;

/** Events at the end of `$all` among which one that is not EventStoreDB's own is looked for. */
const lookBackEvents = 256;

/** Revisions beyond both ends mean what they do in the embedded store; undefined: there is nothing to read. */
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

/** The events of one page, whatever happens to the connection on the way. */
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

/** The position of the last event of `$all`, EventStoreDB's own events too. Undefined when there is none. */
export async function readLastPosition(source: ReadingSource): Promise<Position | undefined> {
  return (await readLastEvent(source))?.position;
}

/**
 * The last event of `$all` that is not EventStoreDB's own; where only such stand at the end, as far as it is looked for, the
 * last of those. Undefined when there is none.
 */
export function readLastFact(source: ReadingSource): Promise<RecordedEvent | undefined> {
  return readLastEvent(source, { among: lookBackEvents, isWanted: ({ stream }) => !stream.startsWith("$") });
}

/** How the end of the log is looked at. */
interface LastEventOptions {
  readonly backoff?: Backoff;
  /** Events from the end that are looked at. */
  readonly among?: number;
  /** Default: the very last. */
  readonly isWanted?: (event: RecordedEvent) => boolean;
}

/** The last event of `$all` that is wanted, or else the last, EventStoreDB's own events too. Undefined when there is none. */
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

/** The first event of the reading that is wanted, or else the first of all. */
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
  source.continuity?.doubt();
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
