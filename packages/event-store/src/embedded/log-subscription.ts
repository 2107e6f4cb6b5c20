import { yieldToOthers } from "@hostledger/runtime/async";

import {
  EventStoreFailedError,
  type EventBatch,
  type RecordedEvent,
  type SubscribeOptions,
} from "../event-store.port.ts";
import type { LogReader, LogQuery } from "./log-reader.ts";
import type { RecentEvents } from "./recent-events.ts";

/** Events of one live batch. */
const liveBatchLimit = 1_000;

/** Pages without a match after which an empty batch tells the position, so that its hearer can keep a checkpoint. */
const emptyPages = 32;

/** Streams at whose ends a subscription looks to see whether anything is left for it, before it reads on without a match. */
const streamsLookedAt = 1_000;

/** Wakes those that wait for the log to grow. */
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

/** What a subscription follows. */
export interface FollowedLog {
  readonly reader: LogReader;
  readonly recent: RecentEvents;
  readonly growth: Growth;
}

/**
 * Follows the log from a position. A subscription is nothing but a cursor: it takes what comes next from memory, or
 * from the file when it is further behind, each time its consumer asks. Nothing is buffered for a slow consumer, and
 * the writer never waits for one.
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

/** @throws EventStoreFailedError for a position that this log has not reached: it was given by another one. */
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
 * Pages until one has a match; undefined when the signal aborts. Queries run on this thread, so others get their turn
 * before each of them. Where the streams that are followed are few and end before, nothing up to the end is read.
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
