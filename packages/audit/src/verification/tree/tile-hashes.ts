import { hashBytes, leafHash, subtreeRoot, tileWidth } from "../../log/index.ts";

export interface TileHashes {
  /** Concatenated leaf hashes, as in a tile of level 0. */
  readonly leaves: Uint8Array;
  /** Root of a complete tile; undefined if incomplete. */
  readonly root: Uint8Array | undefined;
}

export function hashTiles(entries: readonly Uint8Array[]): readonly TileHashes[] {
  const tiles: TileHashes[] = [];
  for (let first = 0; first < entries.length; first += tileWidth)
    tiles.push(hashTile(entries.slice(first, first + tileWidth)));
  return tiles;
}

function hashTile(entries: readonly Uint8Array[]): TileHashes {
  const leaves = new Uint8Array(entries.length * hashBytes);
  entries.forEach((entry, at) => {
    leaves.set(leafHash(entry), at * hashBytes);
  });
  // Copies the root, because a view would transfer its whole buffer between threads.
  const root = entries.length === tileWidth ? Uint8Array.from(subtreeRoot(leaves)) : undefined;
  return { leaves, root };
}
