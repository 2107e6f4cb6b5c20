import type { RecordedEvent } from "@hostledger/event-store";
import { monotonicMilliseconds, realTiming } from "@hostledger/runtime";
import { hashBytes, tileWidth } from "@hostledger/transparency";

import type { FoundEntry, LogEvent } from "../log.port.ts";
import { readDamagedTile } from "./damaged-tile.ts";
import { endOf } from "./follower.ts";
import type { LeafReaderOptions } from "./leaf-reader.options.ts";
import {
  contradiction,
  isLeaf,
  lackingPast,
  leafOf,
  notRecorded,
  placeOf,
  sameHash,
  withoutPosition,
} from "./leaf.ts";
import { AuditLogError, LogContradictionError } from "./log-error.ts";
import { bundlesOf } from "./positions.ts";

/** How long `indexOf` waits for the log to come to an event that the store has given. */
const indexWaitMs = 5_000;
const indexPauseMs = 5;

/** Reads events back from the store by their leaves. Each is compared with its hash before it is given out. */
export interface LeafReader {
  readonly entries: (firstIndex: number, count: number) => Promise<readonly LogEvent[]>;
  readonly entriesAsFound: (firstIndex: number, count: number) => Promise<readonly FoundEntry[]>;
  readonly indexOf: (recorded: RecordedEvent) => Promise<number>;
  /** Compares an event with its leaf. @throws AuditLogError it is not the one that was recorded */
  readonly confirm: (recorded: RecordedEvent) => Promise<void>;
}

function absent({ id }: RecordedEvent): string {
  return `The audit log does not have the event ${id} yet.`;
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

  /** Waits for the log to come to an event. @throws AuditLogError it has stopped, or takes too long */
  async function reach(recorded: RecordedEvent): Promise<void> {
    const until = monotonicMilliseconds() + indexWaitMs;
    const isAhead = (): boolean => follower.position === "start" || follower.position < recorded.position;
    while (isAhead() && monotonicMilliseconds() < until && !closing.aborted) {
      const stopped = options.stopped();
      if (stopped !== undefined)
        throw new AuditLogError(`The event ${placeOf(recorded)} is not in the audit log. ${stopped.message}`);
      await realTiming.sleep(indexPauseMs);
    }
    if (isAhead()) throw new AuditLogError(absent(recorded));
  }

  /** Whether an event's leaf is in the tile where its position puts it. Reads hashes only, and no other event. */
  async function isInItsTile(recorded: RecordedEvent): Promise<boolean> {
    if (edge.size === 0) return false;
    const index = await positions.bundleOf(recorded.position, bundlesOf(edge.size));
    const hashes = await parts.tiles.read(0, index, Math.min(tileWidth, edge.size - index * tileWidth));
    const leaf = leafOf(recorded);
    for (let at = 0; at < hashes.length; at += hashBytes)
      if (sameHash(leaf, hashes.subarray(at, at + hashBytes))) return true;
    return false;
  }

  return {
    async confirm(recorded) {
      if (await isInItsTile(recorded)) return;
      await reach(recorded);
      if (!(await isInItsTile(recorded))) throw notRecorded(recorded);
    },
    entries: (firstIndex, count) =>
      byTile(firstIndex, count, edge.size, async (index, width) =>
        (await tile(index, width)).map(withoutPosition),
      ),
    entriesAsFound: (firstIndex, count) =>
      byTile(firstIndex, count, edge.size, async (index, width): Promise<readonly FoundEntry[]> => {
        try {
          return (await tile(index, width)).map((event) => ({ event: withoutPosition(event) }));
        } catch (error) {
          if (!(error instanceof AuditLogError) || closing.aborted) throw error;
          return await readDamagedTile(options, index, width);
        }
      }),
    async indexOf(recorded) {
      await reach(recorded);
      const index = await positions.bundleOf(recorded.position, bundlesOf(edge.size));
      const count = Math.min(tileWidth, edge.size - index * tileWidth);
      const place = (await tile(index, count)).findIndex(
        ({ position, id }) => position === recorded.position && id === recorded.id,
      );
      if (place < 0) throw new AuditLogError(absent(recorded));
      return index * tileWidth + place;
    },
  };
}

/** Leaves of so many, or fewer at the end of the log, each tile of them read once. */
async function byTile<Entry>(
  firstIndex: number,
  count: number,
  size: number,
  read: (index: number, width: number) => Promise<readonly Entry[]>,
): Promise<readonly Entry[]> {
  const end = Math.min(firstIndex + count, size);
  const entries: Entry[] = [];
  for (let at = firstIndex; at < end;) {
    const first = Math.floor(at / tileWidth) * tileWidth;
    const last = Math.min(end, first + tileWidth);
    entries.push(...(await read(first / tileWidth, last - first)).slice(at - first));
    at = last;
  }
  return entries;
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
      if (found.length === count) break;
      // A log that has stopped at a damaged event is not past it, and those behind it are looked at all the same.
      if (!caughtUp) continue;
      if (upTo === "start" || position >= upTo || (await endOf(store)) < upTo) break;
    }
  } finally {
    reading.abort();
  }
  for (const [place, event] of found.entries())
    if (!sameHash(leafOf(event), hashes.subarray(place * hashBytes, (place + 1) * hashBytes)))
      throw contradiction(index * tileWidth + place, event);
  if (found.length === count) return found;
  if (closing.aborted) throw new AuditLogError("The audit log is being closed.");
  throw lackingPast(edge.size);
}
