import type { EventStore, RecordedEvent } from "@hostledger/event-store";
import { monotonicMilliseconds, realTiming } from "@hostledger/runtime";
import { hashBytes, tileWidth } from "@hostledger/transparency";

import type { LogEvent } from "../log.port.ts";
import { endOf, type Follower } from "./follower.ts";
import { contradiction, isLeaf, lackingPast, leafOf, sameHash } from "./leaf.ts";
import { AuditLogError, LogContradictionError } from "./log-error.ts";
import { bundlesOf } from "./positions.ts";
import type { PublisherParts } from "./publisher.ts";

/** How long `indexOf` waits for the log to come to an event that the store has given. */
const indexWaitMs = 5_000;
const indexPauseMs = 5;

/** What the leaves are read with. */
export interface LeafReaderOptions {
  readonly store: EventStore;
  readonly parts: Pick<PublisherParts, "edge" | "tiles" | "positions">;
  readonly follower: Pick<Follower, "position">;
  /** Aborted when the log closes. */
  readonly closing: AbortSignal;
  /** Told that the store is not what the log has recorded. */
  readonly onContradiction: (error: LogContradictionError) => void;
}

/** Reads events back from the store by their leaves. Each is compared with its hash before it is given out. */
export interface LeafReader {
  readonly entries: (firstIndex: number, count: number) => Promise<readonly LogEvent[]>;
  readonly indexOf: (recorded: RecordedEvent) => Promise<number>;
}

/** Reads tile by tile: an event costs the reading of 256 at most, wherever in the log it is. */
export function createLeafReader(options: LeafReaderOptions): LeafReader {
  const { parts, follower, closing } = options;
  const { edge, positions } = parts;

  async function tile(index: number, count: number): Promise<readonly RecordedEvent[]> {
    try {
      return await readTileEvents(options, index, count);
    } catch (error) {
      if (error instanceof LogContradictionError) options.onContradiction(error);
      throw error;
    }
  }

  return {
    async entries(firstIndex, count) {
      const end = Math.min(firstIndex + count, edge.size);
      const events: LogEvent[] = [];
      for (let at = firstIndex; at < end;) {
        const first = Math.floor(at / tileWidth) * tileWidth;
        const last = Math.min(end, first + tileWidth);
        const read = await tile(first / tileWidth, last - first);
        events.push(...read.slice(at - first).map(withoutPosition));
        at = last;
      }
      return events;
    },
    async indexOf(recorded) {
      const until = monotonicMilliseconds() + indexWaitMs;
      const isAhead = (): boolean => follower.position === "start" || follower.position < recorded.position;
      while (isAhead() && monotonicMilliseconds() < until && !closing.aborted)
        await realTiming.sleep(indexPauseMs);
      const absent = `The audit log does not have the event ${recorded.id} yet.`;
      if (isAhead()) throw new AuditLogError(absent);
      const index = await positions.bundleOf(recorded.position, bundlesOf(edge.size));
      const count = Math.min(tileWidth, edge.size - index * tileWidth);
      const place = (await tile(index, count)).findIndex(
        ({ position, id }) => position === recorded.position && id === recorded.id,
      );
      if (place < 0) throw new AuditLogError(absent);
      return index * tileWidth + place;
    },
  };
}

/** The first events of a tile. @throws LogContradictionError they are not what the tile says */
async function readTileEvents(
  { store, parts, follower, closing }: LeafReaderOptions,
  index: number,
  count: number,
): Promise<readonly RecordedEvent[]> {
  const { edge, tiles, positions } = parts;
  const from = await positions.startOf(index);
  // The log has taken these events, so they are before here, and a reading that has come so far has seen them all.
  const upTo = follower.position;
  const hashes = await tiles.read(0, index, count);
  const reading = new AbortController();
  const signal = AbortSignal.any([closing, reading.signal]);
  const found: RecordedEvent[] = [];
  try {
    for await (const { events, position, caughtUp } of store.subscribe({ from, signal })) {
      for (const event of events) if (isLeaf(event) && found.length < count) found.push(event);
      if (found.length === count || upTo === "start" || position >= upTo) break;
      if (caughtUp && (await endOf(store)) < upTo) break;
    }
  } finally {
    reading.abort();
  }
  const wrong = found.findIndex(
    (event, place) => !sameHash(leafOf(event), hashes.subarray(place * hashBytes, (place + 1) * hashBytes)),
  );
  if (wrong >= 0) throw contradiction(index * tileWidth + wrong);
  if (found.length === count) return found;
  if (closing.aborted) throw new AuditLogError("The audit log is being closed.");
  throw lackingPast(edge.size);
}

function withoutPosition({ position: _, ...event }: RecordedEvent): LogEvent {
  return event;
}
