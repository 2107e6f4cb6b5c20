import type { RecordedEvent } from "@hostledger/store";
import { hashBytes, tileWidth } from "@hostledger/audit/log";

import type { Comparison, FoundEntry, LogEvent, LogPlace } from "../log.port.ts";
import { readDamagedTile } from "./damaged-tile.ts";
import { createLeafFinder, type LeafFinder, type LeafReaderOptions } from "./leaf-finder.ts";
import { contradiction, isLeaf, lackingPast, leafOf, sameHash, withoutPosition } from "./leaf.ts";
import { compareFrom } from "./log-comparer.ts";
import { AuditLogError, LogContradictionError } from "./log-error.ts";
import { endOf } from "./positions.ts";

/** Reads events from the store by their leaves, and compares each with its hash. */
export interface LeafReader extends LeafFinder {
  readonly entries: (firstIndex: number, count: number) => Promise<readonly LogEvent[]>;
  readonly entriesAsFound: (firstIndex: number, count: number) => Promise<readonly FoundEntry[]>;
  readonly compareFrom: (place: LogPlace) => Promise<Comparison>;
}

/** Reads tile by tile: one event costs the reading of at most 256 events. */
export function createLeafReader(options: LeafReaderOptions): LeafReader {
  const { closing } = options;
  const { tiles } = options.parts;

  async function tile(index: number, count: number): Promise<readonly RecordedEvent[]> {
    try {
      return await readTileEvents(options, index, count);
    } catch (error) {
      if (error instanceof AuditLogError && !closing.aborted && (await options.mend(index)))
        return await tile(index, count);
      if (error instanceof LogContradictionError) options.onContradiction(error);
      throw error;
    }
  }

  const entriesAsFound = (firstIndex: number, count: number): Promise<readonly FoundEntry[]> =>
    byTile(firstIndex, count, tiles.size, async (index, width): Promise<readonly FoundEntry[]> => {
      try {
        return (await tile(index, width)).map((event) => ({ event: withoutPosition(event) }));
      } catch (error) {
        if (!(error instanceof AuditLogError) || closing.aborted) throw error;
        return await readDamagedTile(options, index, width);
      }
    });

  return {
    ...createLeafFinder(options, tile),
    entriesAsFound,
    compareFrom: (place) => compareFrom(options, entriesAsFound, place),
    entries: (firstIndex, count) =>
      byTile(firstIndex, count, tiles.size, async (index, width) =>
        (await tile(index, width)).map(withoutPosition),
      ),
  };
}

/** Returns entries of a range, fewer at the end of the log, and reads each tile once. */
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

/** Reads the first events of a tile. @throws LogContradictionError they differ from the tile */
async function readTileEvents(
  { store, parts, follower, closing }: LeafReaderOptions,
  index: number,
  count: number,
): Promise<readonly RecordedEvent[]> {
  const { tiles, positions } = parts;
  const from = await positions.startOf(index);
  // A store refuses a position beyond its end, so a retry would never succeed.
  if (from !== "start" && (await endOf(store)) < from) throw lackingPast(tiles.size);
  // The log has processed these events, so a read up to this position must find all of them.
  const upTo = follower.position;
  const hashes = await tiles.read(0, index, count);
  const reading = new AbortController();
  const signal = AbortSignal.any([closing, reading.signal]);
  const found: RecordedEvent[] = [];
  try {
    for await (const { events, position, caughtUp } of store.subscribe({ from, signal, fromDisk: true })) {
      for (const event of events) if (isLeaf(event) && found.length < count) found.push(event);
      if (found.length === count) break;
      // A log that stopped at a damaged event is not past it, but later events are read too.
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
  throw lackingPast(tiles.size);
}
