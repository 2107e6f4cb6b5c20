import type { EventStore, RecordedEvent } from "@hostledger/store";
import { yieldToOthers } from "@hostledger/runtime/async";
import { hashBytes, sameBytes, tileWidth } from "@hostledger/audit/log";

import { contradiction, isLeaf, lackingPast, leafOf, putBackUnder } from "./leaf.ts";
import { endOf, type BundleStart } from "./positions.ts";
import type { PositionsMender } from "./positions-mender.ts";
import type { PublisherParts } from "./publisher.ts";

/** Maximum full tiles in memory during catch-up: 4 MB. */
const tilesAhead = 512;

export interface Follower {
  /** Position of the last processed event. */
  readonly position: BundleStart;
  /** Follows the store until the signal aborts; another call continues. @throws AuditLogError */
  follow(signal: AbortSignal): Promise<void>;
  /** Distance to the end of the store, in its positions; 0 while it follows live events. */
  behind(): Promise<bigint>;
}

export interface FollowerOptions {
  readonly store: EventStore;
  readonly parts: Pick<PublisherParts, "tiles" | "positions">;
  readonly mender: Pick<PositionsMender, "mend">;
  /** Writes the full tiles in memory. */
  readonly writeAhead: () => Promise<void>;
  readonly onCaughtUp: () => void;
}

/**
 * Makes a leaf of each event of the store. The last published leaves are computed again and compared, to detect a
 * rewritten store.
 */
export async function createFollower(options: FollowerOptions): Promise<Follower> {
  const { store, parts, writeAhead, onCaughtUp } = options;
  const { tiles, positions } = parts;
  const known = tiles.size;
  const firstTile = known === 0 ? 0 : Math.floor((known - 1) / tileWidth);
  const first = firstTile * tileWidth;
  const expected = known === 0 ? new Uint8Array() : await tiles.read(0, firstTile, known - first);
  let cursor = first;
  await options.mender.mend(firstTile);
  let from = await positions.startOf(firstTile);
  // EventStoreDB appends events of its own, which do not count as a delay.
  let isFollowing = false;

  const generationOf = (): number => store.lineage?.generation ?? 0;
  const generation = generationOf();

  function take(event: RecordedEvent): void {
    if (isLeaf(event)) {
      const hash = leafOf(event);
      if (cursor < known) {
        const offset = (cursor - first) * hashBytes;
        if (!sameBytes(hash, expected.subarray(offset, offset + hashBytes)))
          throw contradiction(cursor, event);
      } else {
        if (cursor % tileWidth === 0 && from !== "start") positions.record(cursor / tileWidth, from);
        tiles.append(hash);
      }
      cursor += 1;
    }
    from = event.position;
  }

  return {
    get position() {
      return from;
    },
    async behind() {
      const end = await endOf(store);
      const reached = from === "start" ? 0n : from;
      return isFollowing || end < reached ? 0n : end - reached;
    },
    async follow(signal) {
      const end = await endOf(store);
      // A position of the former copy is invalid here, and the store may refuse it for ever.
      if (generationOf() !== generation && tiles.size > 0) throw putBackUnder(tiles.size);
      // A store refuses a position beyond its end, so a retry would never succeed.
      if (from !== "start" && end < from) throw lackingPast(tiles.size);
      try {
        for await (const { events, position, caughtUp } of store.subscribe({ from, signal })) {
          await letAppendsGoFirst();
          for (const event of events) take(event);
          if (tiles.pending().length >= tilesAhead) await writeAhead();
          isFollowing = caughtUp && position >= end;
          if (!isFollowing) continue;
          if (cursor < known) throw lackingPast(known);
          onCaughtUp();
        }
      } finally {
        isFollowing = false;
      }
    },
  };
}

/**
 * Yields twice, so that writers can post their next appends first. A turn that delivers events also answers their
 * writers, who append at the end of the turn. The first pause may end before that; the second ends after it.
 */
async function letAppendsGoFirst(): Promise<void> {
  await yieldToOthers();
  await yieldToOthers();
}
