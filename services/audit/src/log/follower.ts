import type { EventStore, RecordedEvent } from "@hostledger/event-store";
import { yieldToOthers } from "@hostledger/runtime/async";
import { hashBytes, tileWidth } from "@hostledger/transparency";

import { contradiction, isLeaf, lackingPast, leafOf, putBackUnder, sameHash } from "./leaf.ts";
import { endOf, type BundleStart } from "./positions.ts";
import type { PositionsMender } from "./positions-mender.ts";
import type { PublisherParts } from "./publisher.ts";

/** Full tiles that wait in memory while a long past is caught up with: 4 MB. */
const tilesAhead = 512;

/** What follows the store, and where it is. */
export interface Follower {
  /** The position of the last event that was taken. */
  readonly position: BundleStart;
  /** Follows the store until the signal aborts; goes on where it was when it is called again. @throws AuditLogError */
  follow(signal: AbortSignal): Promise<void>;
  /** Distance from the end of the store, in its positions; 0 while it follows what comes. */
  behind(): Promise<bigint>;
}

/** What a follower works on. */
export interface FollowerOptions {
  readonly store: EventStore;
  readonly parts: Pick<PublisherParts, "tiles" | "positions">;
  readonly mender: Pick<PositionsMender, "mend">;
  /** Writes the full tiles that wait. */
  readonly writeAhead: () => Promise<void>;
  /** Told when the whole store has been seen. */
  readonly onCaughtUp: () => void;
}

/**
 * Makes a leaf of each event of the store. The last leaves that were published are made again and compared: a store that
 * was rewritten shows there.
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
  // An EventStoreDB goes on by events of its own: whoever follows it is not behind those.
  let isFollowing = false;

  const generationOf = (): number => store.lineage?.generation ?? 0;
  const generation = generationOf();

  function take(event: RecordedEvent): void {
    if (isLeaf(event)) {
      const hash = leafOf(event);
      if (cursor < known) {
        const offset = (cursor - first) * hashBytes;
        if (!sameHash(hash, expected.subarray(offset, offset + hashBytes)))
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
      // A position of the former copy means nothing in this one, and whoever asks for it may be refused for ever.
      if (generationOf() !== generation && tiles.size > 0) throw putBackUnder(tiles.size);
      // A store refuses a position that it has not reached, and whoever is refused tries again for ever.
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
 * The turn that tells of events tells their writers as well, and at its end their next appends are posted. The first pause
 * may end before that, the second one ends after it: leaves that were made earlier would keep the store's writer waiting.
 */
async function letAppendsGoFirst(): Promise<void> {
  await yieldToOthers();
  await yieldToOthers();
}
