import type { EventBatch, RecordedEvent } from "@hostledger/store";
import { hashBytes, sameBytes, tileWidth } from "@hostledger/audit/log";
import { yieldToOthers } from "@hostledger/runtime/async";
import { placeOf } from "@hostledger/core";

import type { Comparison, FoundEntry, LogEvent, LogPlace, LogReader } from "../log.port.ts";
import { createLeafFinder, type LeafFinder, type LeafReaderOptions } from "./leaf-finder.ts";
import {
  contradiction,
  hashOf,
  hexOf,
  isLeaf,
  lackingPast,
  leafOf,
  readFromDisk,
  withoutPosition,
} from "./leaf.ts";
import { AuditLogError, LogContradictionError } from "./log-error.ts";
import { bundlesOf, type BundleStart, endOf } from "./positions.ts";

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
  const found: RecordedEvent[] = [];
  for await (const { events, position, caughtUp } of readFromDisk(store, from, closing)) {
    for (const event of events) if (isLeaf(event) && found.length < count) found.push(event);
    if (found.length === count) break;
    // A log that stopped at a damaged event is not past it, but later events are read too.
    if (!caughtUp) continue;
    if (upTo === "start" || position >= upTo || (await endOf(store)) < upTo) break;
  }
  for (const [place, event] of found.entries())
    if (!sameBytes(leafOf(event), hashes.subarray(place * hashBytes, (place + 1) * hashBytes)))
      throw contradiction(index * tileWidth + place, event);
  if (found.length === count) return found;
  if (closing.aborted) throw new AuditLogError("The audit log is being closed.");
  throw lackingPast(tiles.size);
}

/** Events hashed before other work gets a turn: about a millisecond. */
const hashedAtOnce = 64;

/**
 * Compares one batch of the store with the leaves from a place on. It needs only the events' order, not the file of
 * positions. At a difference it reads the whole tile like every other reader.
 */
async function compareFrom(
  { store, parts: { tiles, positions }, closing }: LeafReaderOptions,
  entriesAsFound: LogReader["entriesAsFound"],
  { index, after }: LogPlace,
): Promise<Comparison> {
  const { size } = tiles;
  if (index >= size) return { next: undefined, compared: 0, damaged: [] };
  function readLeaves(leaf: number): Promise<Uint8Array> {
    const tile = Math.floor(leaf / tileWidth);
    return tiles.read(0, tile, Math.min(tileWidth, size - tile * tileWidth));
  }

  /** Returns the comparison of a damaged leaf's tile; the next comparison continues after it. */
  async function damagedTile(leaf: number): Promise<Comparison> {
    const first = Math.floor(leaf / tileWidth) * tileWidth;
    const end = Math.min(first + tileWidth, size);
    const found = await entriesAsFound(first, end - first);
    const damaged = found.flatMap((entry, place) =>
      entry.damage === undefined || first + place < index ? [] : [{ ...entry, index: first + place }],
    );
    const next = end < size ? { index: end, after: await positions.startOf(end / tileWidth) } : undefined;
    return { next, compared: end - index, damaged };
  }

  // A store refuses a position beyond its end, so a retry would never succeed.
  if (after !== "start" && (await endOf(store)) < after) return damagedTile(index);
  const batch = await nextBatch(store, after, closing);
  let at = index;
  let last = after;
  let hashes: readonly string[] = [];
  for (const event of batch.events) {
    if (at >= size) break;
    if (isLeaf(event)) {
      if (at === index || at % tileWidth === 0) hashes = hexOf(await readLeaves(at));
      if (hashOf(event) !== hashes[at % tileWidth]) return damagedTile(at);
      at += 1;
      if (at % hashedAtOnce === 0) await yieldToOthers();
    }
    last = event.position;
  }
  if (at < size && batch.caughtUp) return damagedTile(at);
  const next =
    at < size ? { index: at, after: batch.events.length === 0 ? batch.position : last } : undefined;
  return { next, compared: at - index, damaged: [] };
}

async function nextBatch(
  store: LeafReaderOptions["store"],
  from: RecordedEvent["position"] | "start",
  closing: AbortSignal,
): Promise<EventBatch> {
  for await (const batch of readFromDisk(store, from, closing))
    if (batch.events.length > 0 || batch.caughtUp) return batch;
  throw new AuditLogError("The audit log is being closed.");
}

/** Maximum events read for one tile. With more inserted events, they cannot be matched. */
const lookedAt = 4 * tileWidth;

const missing: LogEvent = { stream: "", revision: 0n, id: "", type: "", time: "", data: "", metadata: "" };

/** Returns the leaves of a tile with the events that the store has in their places. */
async function readDamagedTile(
  options: Pick<LeafReaderOptions, "store" | "parts" | "closing">,
  index: number,
  count: number,
): Promise<readonly FoundEntry[]> {
  const { tiles, positions } = options.parts;
  const hashes = await tiles.read(0, index, count);
  const end = index + 1 < bundlesOf(tiles.size) ? await positions.startOf(index + 1) : undefined;
  return align(await eventsUpTo(options, await positions.startOf(index), end), hashes);
}

async function eventsUpTo(
  { store, closing }: Pick<LeafReaderOptions, "store" | "closing">,
  from: BundleStart,
  end: BundleStart | undefined,
): Promise<readonly RecordedEvent[]> {
  const isPast = (position: RecordedEvent["position"]): boolean =>
    end !== undefined && end !== "start" && position > end;
  const found: RecordedEvent[] = [];
  for await (const { events, position, caughtUp } of readFromDisk(store, from, closing)) {
    found.push(...events.filter((event) => isLeaf(event) && !isPast(event.position)));
    if (caughtUp || isPast(position) || found.length >= lookedAt) break;
  }
  if (closing.aborted) throw new AuditLogError("The audit log is being closed.");
  return found;
}

/**
 * Distinguishes changed, moved, inserted and deleted events. An event with the hash of a leaf belongs to that leaf,
 * wherever it is. An event without a leaf takes the place of the next leaf without an event.
 */
function align(found: readonly RecordedEvent[], hashes: Uint8Array): readonly FoundEntry[] {
  const leaves = Array.from({ length: hashes.length / hashBytes }, (_, at) =>
    Buffer.from(hashes.subarray(at * hashBytes, (at + 1) * hashBytes)),
  );
  const wanted = new Set(leaves.map((leaf) => leaf.toString("hex")));
  const places = new Map(found.map((event, place) => [hashOf(event), place]));
  const isStrange = (event: RecordedEvent): boolean => !wanted.has(hashOf(event));
  let next = 0;
  return leaves.map((leafHash) => {
    const place = places.get(leafHash.toString("hex"));
    if (place !== undefined) {
      const [first, ...more] = found.slice(next, place).filter(isStrange);
      const isMoved = place < next;
      next = Math.max(next, place + 1);
      const event = withoutPosition(found[place] ?? { ...missing, position: 0n });
      if (isMoved) return { event, leafHash, damage: "stands in another place than the audit log has it" };
      if (first === undefined) return { event };
      const others = more.length === 0 ? "" : ` and ${String(more.length)} more`;
      return { event, leafHash, damage: `${placeOf(first)}${others} was put into the event store before it` };
    }
    const other = found[next];
    if (other === undefined || !isStrange(other))
      return { event: missing, leafHash, damage: "is missing in the event store: it was deleted" };
    next += 1;
    const damage = "is not the event that the audit log has recorded: it was changed";
    return { event: withoutPosition(other), leafHash, damage };
  });
}
