import {
  createTileBuilder,
  hashBytes,
  tilePath,
  tileWidth,
  type Tile,
  type TileBuilder,
  type TilePlace,
} from "@hostledger/transparency";

import { AuditLogError, LostLogError } from "./log-error.ts";
import type { LogFiles } from "./log-files.ts";

/** Full tiles that stay in memory for proofs, with their inner nodes 16 KB each: all of a million leaves, 64 MB at most. */
const tilesInMemory = 4_096;

/** Parts of growing tiles that stay in memory: those of one checkpoint are one for each level. */
const partsInMemory = 32;

/** The tiles of the log: those on disk, those on their way there, and those that grow. */
export interface TileStore extends Pick<TileBuilder, "size" | "append" | "partials"> {
  /** The hashes of a tile, from the first one on. @throws AuditLogError the log does not have them */
  readonly read: (level: number, index: number, width: number) => Promise<Uint8Array>;
  /** Full tiles that are not on disk yet. */
  pending(): readonly Tile[];
  /** Forgets tiles that were written. */
  written(tiles: readonly Tile[]): void;
}

/**
 * The tiles in their files.
 *
 * @param size leaves of the log.
 * @param growing its growing tiles, as `readGrowingTiles` gives them.
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

  /** The first hashes of a tile stay the same while it grows, so that the same array can be given again. */
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

/** Puts it in, and lets go of what came first once there are too many. */
function keep(kept: Map<string, Uint8Array>, path: string, bytes: Uint8Array, limit: number): void {
  const [oldest] = kept.keys();
  if (kept.size >= limit && oldest !== undefined) kept.delete(oldest);
  kept.set(path, bytes);
}

/** Reads the growing tiles of a log that was closed. @throws LostLogError */
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

/** The beginning of a sentence about a tile that cannot be used. */
export function faultOf(path: string, bytes: Uint8Array | undefined): string {
  return `The file ${path} of the audit log ${bytes === undefined ? "is missing" : "is damaged"}`;
}
