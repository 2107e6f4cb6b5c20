import { hashBytes } from "./hash.ts";
import { partialTiles, subtreeRoot, tileWidth, type Tile, type TilePlace } from "./tile.ts";

export interface TileBuilderOptions {
  /** Size and growing tiles of an existing tree, as `partials` returned them. Default: an empty tree. */
  readonly edge?: { readonly size: number; readonly tiles: readonly Tile[] };
  /** Called with each complete tile, lower levels first. */
  readonly emit: (tile: Tile) => void;
}

/** Builds tiles from leaf hashes, with a growing tile for each level. */
export interface TileBuilder {
  /** Number of leaves. */
  readonly size: number;
  append(leafHash: Uint8Array): void;
  /** Copies the first hashes of a growing tile; undefined if `place` is not a growing tile or has too few hashes. */
  growing(place: TilePlace): Uint8Array | undefined;
  /** Copies the nonempty growing tiles, level 0 first. */
  partials(): readonly Tile[];
}

/** Starts building tiles or continues a tree. @throws RangeError if the growing tiles do not fit the size */
export function createTileBuilder({ edge, emit }: TileBuilderOptions): TileBuilder {
  let size = edge?.size ?? 0;
  const buffers: Uint8Array[] = [];
  const bufferOf = (level: number): Uint8Array => {
    while (buffers.length <= level) buffers.push(new Uint8Array(tileWidth * hashBytes));
    const buffer = buffers[level];
    if (buffer === undefined) throw new RangeError("A tile's level is 0 to 63.");
    return buffer;
  };
  for (const { level, index, width } of partialTiles(size)) {
    const tile = edge?.tiles.find((one) => one.level === level && one.index === index && one.width === width);
    if (tile?.bytes.length !== width * hashBytes)
      throw new RangeError("The growing tiles do not fit the size of the tree.");
    bufferOf(level).set(tile.bytes);
  }

  function add(level: number, number: number, hash: Uint8Array): void {
    const buffer = bufferOf(level);
    const place = number % tileWidth;
    buffer.set(hash, place * hashBytes);
    if (place < tileWidth - 1) return;
    const index = Math.floor(number / tileWidth);
    const bytes = buffer.slice();
    emit({ level, index, width: tileWidth, bytes });
    add(level + 1, index, subtreeRoot(bytes));
  }

  return {
    get size() {
      return size;
    },
    append(leafHash) {
      if (leafHash.length !== hashBytes) throw new RangeError("A leaf's hash has 32 bytes.");
      add(0, size, leafHash);
      size += 1;
    },
    growing({ level, index, width }) {
      const hashes = Math.floor(size / tileWidth ** level);
      if (index !== Math.floor(hashes / tileWidth) || width > hashes % tileWidth) return undefined;
      return bufferOf(level).slice(0, width * hashBytes);
    },
    partials: () =>
      partialTiles(size).map((tile) => ({
        ...tile,
        bytes: bufferOf(tile.level).slice(0, tile.width * hashBytes),
      })),
  };
}
