import { createTileBuilder, type ReadTile, type Tile } from "./index.ts";

export interface TreeInMemory {
  readonly full: readonly Tile[];
  readonly partial: readonly Tile[];
  readonly readTile: ReadTile;
}

export function treeInMemory(leafHashes: readonly Uint8Array[]): TreeInMemory {
  const full: Tile[] = [];
  const builder = createTileBuilder({ emit: (tile) => void full.push(tile) });
  for (const hash of leafHashes) builder.append(hash);
  const partial = builder.partials();
  const tiles = new Map(
    [...full, ...partial].map((tile) => [`${String(tile.level)}/${String(tile.index)}`, tile]),
  );
  return {
    full,
    partial,
    readTile: (level, index) => {
      const tile = tiles.get(`${String(level)}/${String(index)}`);
      return tile === undefined
        ? Promise.reject(new Error(`There is no tile ${String(level)}/${String(index)}.`))
        : Promise.resolve(tile.bytes);
    },
  };
}
