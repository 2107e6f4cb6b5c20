import { hashBytes, leafHash, subtreeRoot, tileWidth } from "@hostledger/transparency";

/** The hashes of the entries of one tile. */
export interface TileHashes {
  /** One after the other, as a tile of level 0 has them. */
  readonly leaves: Uint8Array;
  /** Root over the leaves of a whole tile; undefined for a growing one. */
  readonly root: Uint8Array | undefined;
}

/** Hashes the entries of tiles that follow each other. */
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
  // The copy is no view of a larger buffer, which would travel between threads with all of it.
  const root = entries.length === tileWidth ? Uint8Array.from(subtreeRoot(leaves)) : undefined;
  return { leaves, root };
}
