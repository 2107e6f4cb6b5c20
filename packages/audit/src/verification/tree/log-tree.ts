import { createTileBuilder, createTree, hashBytes, tileWidth } from "../../log/index.ts";
import type { ComputedTile } from "../log-source.ts";
import type { TileHashes } from "./hasher.ts";

/** The tree over a log's leaves, built tile by tile. */
export interface LogTree {
  readonly size: number;
  /** Adds a tile. @returns tiles that are now complete, level 0 first */
  readonly add: (hashes: TileHashes) => readonly ComputedTile[];
  /** Returns the root over the leaves so far plus the first `leaves` of the next tile. */
  readonly rootWith: (hashes: TileHashes, leaves: number) => Uint8Array;
  readonly root: () => Uint8Array;
  /** Returns the incomplete tiles above level 0. */
  readonly partials: () => readonly ComputedTile[];
}

/** Creates a tree. Each complete tile is a leaf of the tree above, so that no node is hashed twice. */
export function createLogTree(): LogTree {
  const emitted: ComputedTile[] = [];
  const above = createTree();
  const builder = createTileBuilder({ emit: (tile) => void emitted.push(raised(tile)) });
  let last: TileHashes = { leaves: new Uint8Array(), root: undefined };
  let size = 0;

  const rootWith = ({ leaves }: TileHashes, count: number): Uint8Array => {
    const part = createTree();
    for (let at = 0; at < count; at += 1) part.append(leaves.subarray(at * hashBytes, (at + 1) * hashBytes));
    const hashes = [...above.edge().hashes, ...part.edge().hashes];
    return createTree({ size: above.size * tileWidth + count, hashes }).root();
  };

  return {
    get size() {
      return size;
    },
    add(hashes) {
      const width = hashes.leaves.length / hashBytes;
      const tile = { level: 0, index: Math.floor(size / tileWidth), width, bytes: hashes.leaves };
      size += width;
      if (hashes.root === undefined) {
        last = hashes;
        return [tile];
      }
      above.append(hashes.root);
      builder.append(hashes.root);
      return [tile, ...emitted.splice(0)];
    },
    rootWith,
    root: () => rootWith(last, last.leaves.length / hashBytes),
    partials: () => builder.partials().map(raised),
  };
}

function raised(tile: ComputedTile): ComputedTile {
  return { ...tile, level: tile.level + 1 };
}
