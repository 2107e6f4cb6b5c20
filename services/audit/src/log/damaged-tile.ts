import { placeOf } from "@hostledger/core";
import type { RecordedEvent } from "@hostledger/store";
import { hashBytes, tileWidth } from "@hostledger/audit/log";

import type { FoundEntry, LogEvent } from "../log.port.ts";
import { hashOf, isLeaf, withoutPosition } from "./leaf.ts";
import type { LeafReaderOptions } from "./leaf-finder.ts";
import { AuditLogError } from "./log-error.ts";
import { bundlesOf, type BundleStart } from "./positions.ts";

/** Maximum events read for one tile. With more inserted events, they cannot be matched. */
const lookedAt = 4 * tileWidth;

const missing: LogEvent = { stream: "", revision: 0n, id: "", type: "", time: "", data: "", metadata: "" };

/** Returns the leaves of a tile with the events that the store has in their places. */
export async function readDamagedTile(
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
  const reading = new AbortController();
  const found: RecordedEvent[] = [];
  try {
    const signal = AbortSignal.any([closing, reading.signal]);
    for await (const { events, position, caughtUp } of store.subscribe({ from, signal, fromDisk: true })) {
      found.push(...events.filter((event) => isLeaf(event) && !isPast(event.position)));
      if (caughtUp || isPast(position) || found.length >= lookedAt) break;
    }
  } finally {
    reading.abort();
  }
  if (closing.aborted) throw new AuditLogError("The audit log is being closed.");
  return found;
}

/**
 * Distinguishes changed, moved, inserted and deleted events. An event with the hash of a leaf belongs to that leaf,
 * wherever it is. An event without a leaf takes the place of the next leaf without an event.
 */
export function align(found: readonly RecordedEvent[], hashes: Uint8Array): readonly FoundEntry[] {
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
