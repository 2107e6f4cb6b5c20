import {
  createTileBuilder,
  hashBytes,
  tilePath,
  tileWidth,
  type Tile,
  type TileBuilder,
  type TilePlace,
} from "@hostledger/audit/log";

import { AuditLogError, LostLogError } from "./log-error.ts";
import type { LogFiles } from "./log-files.ts";

/** Maximum full tiles in memory for proofs. Each takes 16 KB with its inner nodes: all tiles of a million leaves, 64 MB. */
const tilesInMemory = 4_096;

/** Maximum parts of growing tiles in memory: a checkpoint has one per level. */
const partsInMemory = 32;

/** The tiles of the log: on disk, waiting to be written, and growing. */
export interface TileStore extends Pick<TileBuilder, "size" | "append" | "partials"> {
  /** Returns the first hashes of a tile. @throws AuditLogError the log does not have them */
  readonly read: (level: number, index: number, width: number) => Promise<Uint8Array>;
  /** Full tiles that are not on disk yet. */
  pending(): readonly Tile[];
  /** Removes written tiles from the pending ones. */
  written(tiles: readonly Tile[]): void;
}

/**
 * The tiles in their files.
 * @param size leaves of the log.
 * @param growing its growing tiles, from `readGrowingTiles`.
 */
export function createTileStore(files: LogFiles, size = 0, growing: readonly Tile[] = []): TileStore {
  const unwritten = new Map<string, Tile>();
  const recent = new Map<string, Uint8Array>();
  const parts = new Map<string, Uint8Array>();
  const builder = createTileBuilder({
    edge: { size, tiles: growing },
    emit: (tile) => void unwritten.set(tilePath(tile.level, tile.index, tileWidth), tile),
  });

  async function full(level: number, index: number): Promise<Uint8Array> {
    const path = tilePath(level, index, tileWidth);
    const kept = unwritten.get(path)?.bytes ?? recent.get(path);
    if (kept !== undefined) return kept;
    const bytes = await files.read(path);
    if (bytes?.length !== tileWidth * hashBytes)
      throw new AuditLogError(`${faultOf(path, bytes)}: restore it from a backup.`);
    remember(path, bytes);
    return bytes;
  }

  function remember(path: string, bytes: Uint8Array): void {
    keep(recent, path, bytes, tilesInMemory);
  }

  /** Returns a cached part, because the first hashes of a growing tile stay the same. */
  function part(level: number, index: number, width: number): Uint8Array | undefined {
    const path = tilePath(level, index, width);
    const kept = parts.get(path);
    if (kept !== undefined) return kept;
    const bytes = builder.growing({ level, index, width });
    if (bytes !== undefined) keep(parts, path, bytes, partsInMemory);
    return bytes;
  }

  return {
    get size() {
      return builder.size;
    },
    append: (leafHash) => {
      builder.append(leafHash);
    },
    partials: () => builder.partials(),
    async read(level, index, width) {
      const grown = part(level, index, width);
      if (grown !== undefined) return grown;
      const bytes = await full(level, index);
      return width === tileWidth ? bytes : bytes.subarray(0, width * hashBytes);
    },
    pending: () => [...unwritten.values()],
    written(tiles) {
      for (const { level, index } of tiles) unwritten.delete(tilePath(level, index, tileWidth));
    },
  };
}

/** Adds an entry and evicts the oldest if there are too many. */
function keep(kept: Map<string, Uint8Array>, path: string, bytes: Uint8Array, limit: number): void {
  const [oldest] = kept.keys();
  if (kept.size >= limit && oldest !== undefined) kept.delete(oldest);
  kept.set(path, bytes);
}

/** Reads the growing tiles of a closed log. @throws LostLogError */
export async function readGrowingTiles(
  files: LogFiles,
  tiles: readonly TilePlace[],
): Promise<readonly Tile[]> {
  return Promise.all(
    tiles.map(async (tile) => {
      const path = tilePath(tile.level, tile.index, tile.width);
      const bytes = await files.read(path);
      if (bytes?.length !== tile.width * hashBytes) throw new LostLogError(faultOf(path, bytes));
      return { ...tile, bytes };
    }),
  );
}

/** Returns the beginning of a sentence about an unusable tile. */
export function faultOf(path: string, bytes: Uint8Array | undefined): string {
  return `The file ${path} of the audit log ${bytes === undefined ? "is missing" : "is damaged"}`;
}
