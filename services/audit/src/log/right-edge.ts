import { hashBytes, partialTiles, subtreeRoot, tileWidth, type Tile } from "@hostledger/transparency";

/** The tiles that are still growing, one a level at most: all that must be kept in memory to go on. */
export interface RightEdge {
  /** Leaves of the tree. */
  readonly size: number;
  /** Adds a leaf. @param emit gets each tile that it completes */
  append(leafHash: Uint8Array, emit: (tile: Tile) => void): void;
  /** The first hashes of the growing tile, or undefined where the tile is another one or has fewer. */
  slice(level: number, index: number, width: number): Uint8Array | undefined;
  /** Copies of the growing tiles that hold something. */
  partials(): readonly Tile[];
}

/**
 * Goes on where a tree was left.
 *
 * @param size leaves of the tree.
 * @param tiles its growing tiles, as `partialTiles` names them.
 */
export function createRightEdge(size: number, tiles: readonly Tile[] = []): RightEdge {
  let count = size;
  const buffers: Uint8Array[] = [];
  const bufferOf = (level: number): Uint8Array => (buffers[level] ??= new Uint8Array(tileWidth * hashBytes));
  for (const { level, bytes } of tiles) {
    // A level may have no growing tile though a higher one has; the buffers must stand in order.
    for (let lower = 0; lower < level; lower += 1) bufferOf(lower);
    bufferOf(level).set(bytes);
  }

  /** Puts the hash in place; `number` is how many the level had before. */
  function add(level: number, number: number, hash: Uint8Array, emit: (tile: Tile) => void): void {
    const buffer = bufferOf(level);
    const place = number % tileWidth;
    buffer.set(hash, place * hashBytes);
    if (place < tileWidth - 1) return;
    const index = Math.floor(number / tileWidth);
    const bytes = buffer.slice();
    emit({ level, index, width: tileWidth, bytes });
    add(level + 1, index, subtreeRoot(bytes), emit);
  }

  const atLevel = (level: number): number => Math.floor(count / tileWidth ** level);
  return {
    get size() {
      return count;
    },
    append(leafHash, emit) {
      add(0, count, leafHash, emit);
      count += 1;
    },
    slice(level, index, width) {
      const hashes = atLevel(level);
      if (index !== Math.floor(hashes / tileWidth) || width > hashes % tileWidth) return undefined;
      return buffers[level]?.slice(0, width * hashBytes);
    },
    partials() {
      return partialTiles(count).map((tile) => ({
        ...tile,
        bytes: bufferOf(tile.level).slice(0, tile.width * hashBytes),
      }));
    },
  };
}
