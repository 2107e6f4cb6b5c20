import type { EventBatch, RecordedEvent } from "@hostledger/store";
import { yieldToOthers } from "@hostledger/runtime/async";
import { tileWidth } from "@hostledger/audit/log";

import type { Comparison, LogPlace, LogReader } from "../log.port.ts";
import type { LeafReaderOptions } from "./leaf-finder.ts";
import { hashOf, hexOf, isLeaf } from "./leaf.ts";
import { AuditLogError } from "./log-error.ts";
import { endOf } from "./positions.ts";

/** Events hashed before other work gets a turn: about a millisecond. */
const hashedAtOnce = 64;

/**
 * Compares one batch of the store with the leaves from a place on. It needs only the events' order, not the file of
 * positions. At a difference it reads the whole tile like every other reader.
 */
export async function compareFrom(
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
  const reading = new AbortController();
  try {
    const signal = AbortSignal.any([closing, reading.signal]);
    for await (const batch of store.subscribe({ from, signal, fromDisk: true }))
      if (batch.events.length > 0 || batch.caughtUp) return batch;
    throw new AuditLogError("The audit log is being closed.");
  } finally {
    reading.abort();
  }
}
