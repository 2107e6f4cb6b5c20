import { yieldToOthers } from "@hostledger/runtime/async";

import {
  EventStoreFailedError,
  type EventBatch,
  type RecordedEvent,
  type SubscribeOptions,
} from "../event-store.port.ts";
import type { LogReader, LogQuery } from "./log-reader.ts";
import type { RecentEvents } from "./recent-events.ts";

const liveBatchLimit = 1_000;

/** Pages without a match after which an empty batch reports the position, so that the subscriber can save a checkpoint. */
const emptyPages = 32;

/** Maximum streams whose last event a subscription checks before it reads on without a match. */
const streamsLookedAt = 1_000;

/** Wakes subscriptions that wait for the log to grow. */
export class Growth {
  #waiting: (() => void)[] = [];

  /** Resolves at the next `announce`, or when the signal aborts. */
  next(signal: AbortSignal): Promise<void> {
    if (signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const wake = (): void => {
        signal.removeEventListener("abort", wake);
        resolve();
      };
      signal.addEventListener("abort", wake);
      this.#waiting.push(wake);
    });
  }

  announce(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const wake of waiting) wake();
  }
}

/** The log of a subscription: the file and the recent events in memory. */
export interface FollowedLog {
  readonly reader: LogReader;
  readonly recent: RecentEvents;
  readonly growth: Growth;
}

/**
 * Follows the log from a position. A subscription is only a cursor: on each request of its consumer it reads the next
 * events from memory, or from the file if it is further behind. Nothing is buffered for a slow consumer, and the writer
 * never waits for it.
 */
export async function* followLog(
  log: FollowedLog,
  options: Pick<SubscribeOptions, "from" | "streamPrefixes" | "fromDisk">,
  signal: AbortSignal,
): AsyncGenerator<EventBatch, void, undefined> {
  const { streamPrefixes: prefixes } = options;
  const query = log.reader.logQuery(prefixes);
  let cursor = startOf(log.reader, options.from);
  if (cursor >= log.recent.last) yield { events: [], position: BigInt(cursor), caughtUp: true };
  while (!signal.aborted) {
    if (cursor >= log.recent.last) {
      await log.growth.next(signal);
      continue;
    }
    const live = options.fromDisk === true ? undefined : liveBatch(log.recent, cursor, prefixes);
    const run = live ?? (await storedBatch(log, query, cursor, { prefixes, signal }));
    if (run === undefined) return;
    const { events, position } = run;
    cursor = position;
    yield { events, position: BigInt(cursor), caughtUp: cursor >= log.recent.last };
  }
}

/** @throws EventStoreFailedError for a position beyond this log, which must come from another one. */
function startOf(reader: LogReader, from: SubscribeOptions["from"]): number {
  if (from === "start") return 0;
  const last = reader.lastPosition();
  if (from === "end") return last;
  if (from <= BigInt(last)) return Number(from);
  throw new EventStoreFailedError(
    `position ${String(from)} is beyond the end of the event store (${String(last)}): it belongs to another store`,
  );
}

interface Run {
  readonly events: readonly RecordedEvent[];
  readonly position: number;
}

function liveBatch(
  recent: RecentEvents,
  cursor: number,
  prefixes: readonly string[] | undefined,
): Run | undefined {
  const events = recent.after(cursor, liveBatchLimit);
  if (events === undefined) return undefined;
  const position = cursor + events.length;
  if (prefixes === undefined) return { events, position };
  return {
    events: events.filter(({ stream }) => prefixes.some((prefix) => stream.startsWith(prefix))),
    position,
  };
}

/**
 * Reads pages until one has a match; undefined if the signal aborts. Queries run on this thread, so it yields before
 * each. If all followed streams end earlier, it skips to the end of the log.
 */
async function storedBatch(
  { reader, recent }: FollowedLog,
  query: LogQuery,
  cursor: number,
  { prefixes, signal }: { readonly prefixes: readonly string[] | undefined; readonly signal: AbortSignal },
): Promise<Run | undefined> {
  let page: Run = { events: [], position: cursor };
  for (let pages = 0; pages < emptyPages; pages += 1) {
    await yieldToOthers();
    if (signal.aborted) return undefined;
    page = query(page.position, recent.last);
    if (page.events.length > 0 || page.position >= recent.last) return page;
  }
  const end = recent.last;
  const last = reader.lastPositionWith(prefixes ?? [""], streamsLookedAt);
  return last !== undefined && last <= page.position ? { events: [], position: end } : page;
}
