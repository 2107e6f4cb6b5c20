import type { EventStore, Position, RecordedEvent } from "@hostledger/store";
import type { Logger } from "@hostledger/runtime";
import { sameBytes, tileWidth } from "@hostledger/audit/log";

import { hashOf, hexOf, isLeaf, leafOf, readFromDisk } from "./leaf.ts";
import { AuditLogError } from "./log-error.ts";
import { bundlesOf, endOf, positionsFile, type BundlePlace, type BundleStart } from "./positions.ts";
import type { PublisherParts } from "./publisher.ts";

/** Maximum bundles searched for an event's leaf during a rebuild of the positions; a longer replaced range is not matched. */
const bundlesAhead = 4;

export interface PositionsMenderOptions {
  readonly store: EventStore;
  readonly parts: Pick<PublisherParts, "tiles" | "positions">;
  /** Writes pending tiles and positions. */
  readonly writeAhead: () => Promise<void>;
  /** Aborted when the log closes. */
  readonly closing: AbortSignal;
  readonly logger: Logger;
}

/**
 * Checks the file of positions at a mismatch and rebuilds it from the store. The file is derived data, so its damage must
 * not count as a changed event.
 */
export interface PositionsMender {
  /**
   * Checks the start of a bundle and of the next one. Without a bundle, the file is known to be wrong.
   * @returns true if the file was wrong and was rebuilt, so that a second look may succeed
   */
  readonly mend: (bundle?: number) => Promise<boolean>;
  /** Returns a sentence for each file rebuilt since the log was opened. */
  readonly mended: () => readonly string[];
}

/** Reads the whole store at most once per process and caches the result, because the read is costly. */
export function positionsMender(options: PositionsMenderOptions): PositionsMender {
  const { parts, logger } = options;
  const mended: string[] = [];
  let remaking: Promise<boolean> | undefined;
  let isRemade = false;

  async function remake(): Promise<boolean> {
    const starts = await bundleStarts(options);
    if (options.closing.aborted) return false;
    isRemade = true;
    if ((await parts.positions.replace(starts)) === 0) return false;
    const sentence = `The file DATA/audit/${positionsFile} did not fit the event store: it was made anew from it.`;
    logger.warn({ entries: starts.size }, sentence);
    mended.push(sentence);
    await options.writeAhead();
    return true;
  }

  return {
    mended: () => mended,
    async mend(bundle) {
      // Callers during the rebuild must look again; later callers have already seen its result.
      if (remaking !== undefined) return remaking;
      if (isRemade) return false;
      const isRight =
        bundle !== undefined && (await isSound(options, bundle)) && (await isSound(options, bundle + 1));
      if (isRight) return false;
      remaking ??= remake().finally(() => {
        remaking = undefined;
      });
      return remaking;
    },
  };
}

/** True if the first leaf after a bundle's position is the first one of the bundle. */
async function isSound(
  { store, parts: { tiles, positions } }: PositionsMenderOptions,
  bundle: number,
): Promise<boolean> {
  if (bundle === 0 || bundle * tileWidth >= tiles.size) return true;
  try {
    const start = await positions.startOf(bundle);
    if (start === "start" || start > (await endOf(store))) return false;
    const first = await firstLeafAfter(store, start);
    return first !== undefined && sameBytes(leafOf(first), await tiles.read(0, bundle, 1));
  } catch (error) {
    if (error instanceof AuditLogError) return false;
    throw error;
  }
}

async function firstLeafAfter(store: EventStore, from: Position): Promise<RecordedEvent | undefined> {
  for await (const { events, caughtUp } of readFromDisk(store, from)) {
    const leaf = events.find(isLeaf);
    if (leaf !== undefined || caughtUp) return leaf;
  }
  return undefined;
}

/**
 * Computes the start of each bundle from the store and the leaves alone. Events are matched by their leaves; an event
 * without a leaf takes the place of the next leaf without an event. A changed store therefore gives the same positions as
 * before.
 */
async function bundleStarts({
  store,
  parts: { tiles },
  closing,
}: PositionsMenderOptions): Promise<ReadonlyMap<number, BundlePlace>> {
  const { size } = tiles;
  const starts = new Map<number, BundlePlace>();
  const leaves = await leafWindow(tiles, size);
  let known: { readonly index: number; readonly position: BundleStart } = { index: -1, position: "start" };
  let strange: Position[] = [];
  const placeUpTo = (end: number, next: Position | undefined): void => {
    for (let bundle = Math.floor(known.index / tileWidth) + 1; bundle * tileWidth <= end; bundle += 1) {
      const between = bundle * tileWidth - known.index - 1;
      const from = strange.slice(0, between).at(-1) ?? known.position;
      if (bundle > 0) starts.set(bundle, { from, before: strange[between] ?? next });
    }
  };
  for await (const { events, caughtUp } of readFromDisk(store, "start", closing)) {
    for (const event of events) {
      if (!isLeaf(event)) continue;
      const index = leaves.indexOf(event);
      if (index === undefined) strange.push(event.position);
      else if (index > known.index) {
        placeUpTo(index, event.position);
        known = { index, position: event.position };
        strange = [];
        await leaves.moveTo(index);
      }
    }
    if (caughtUp || known.index >= size - 1) break;
  }
  placeUpTo(size - 1, undefined);
  return starts;
}

/** Finds leaves by their events, in a few bundles from a leaf on. */
async function leafWindow(
  tiles: PublisherParts["tiles"],
  size: number,
): Promise<{
  readonly indexOf: (event: RecordedEvent) => number | undefined;
  readonly moveTo: (index: number) => Promise<void>;
}> {
  const bundles = new Map<number, ReadonlyMap<string, number>>();
  const indexes = async (bundle: number): Promise<ReadonlyMap<string, number>> => {
    const first = bundle * tileWidth;
    const hashes = await tiles.read(0, bundle, Math.min(tileWidth, size - first));
    return new Map(hexOf(hashes).map((hash, at) => [hash, first + at]));
  };
  const window = {
    indexOf(event: RecordedEvent) {
      const hash = hashOf(event);
      for (const leaves of bundles.values()) {
        const index = leaves.get(hash);
        if (index !== undefined) return index;
      }
      return undefined;
    },
    async moveTo(index: number) {
      const first = Math.floor(index / tileWidth);
      const end = Math.min(first + bundlesAhead, bundlesOf(size));
      for (const bundle of bundles.keys()) if (bundle < first) bundles.delete(bundle);
      for (let bundle = first; bundle < end; bundle += 1)
        if (!bundles.has(bundle)) bundles.set(bundle, await indexes(bundle));
    },
  };
  await window.moveTo(0);
  return window;
}
