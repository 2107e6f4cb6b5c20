import { hashBytes, tilePath, tileWidth, type Tile, type TilePlace } from "@hostledger/transparency";

import { AuditLogError } from "./log-error.ts";
import type { LogFiles } from "./log-files.ts";
import type { RightEdge } from "./right-edge.ts";

/** Full tiles that stay in memory for proofs: 2 MB at most. */
const tilesInMemory = 256;

/** The tiles of the log: those on disk, those on their way there, and those that grow. */
export interface TileStore {
  /** Takes a full tile that is still to be written. */
  readonly add: (tile: Tile) => void;
  /** The hashes of a tile, from the first one on. @throws AuditLogError the log does not have them */
  readonly read: (level: number, index: number, width: number) => Promise<Uint8Array>;
  /** Full tiles that are not on disk yet. */
  pending(): readonly Tile[];
  /** Forgets tiles that were written. */
  written(tiles: readonly Tile[]): void;
}

/** The tiles in their files. @param edge the growing ones */
export function createTileStore(files: LogFiles, edge: RightEdge): TileStore {
  const unwritten = new Map<string, Tile>();
  const recent = new Map<string, Uint8Array>();

  async function full(level: number, index: number): Promise<Uint8Array> {
    const path = tilePath(level, index, tileWidth);
    const kept = unwritten.get(path)?.bytes ?? recent.get(path);
    if (kept !== undefined) return kept;
    const bytes = await files.read(path);
    if (bytes?.length !== tileWidth * hashBytes) throw damagedTile(path, bytes);
    remember(path, bytes);
    return bytes;
  }

  function remember(path: string, bytes: Uint8Array): void {
    const [oldest] = recent.keys();
    if (recent.size >= tilesInMemory && oldest !== undefined) recent.delete(oldest);
    recent.set(path, bytes);
  }

  return {
    add(tile) {
      unwritten.set(tilePath(tile.level, tile.index, tileWidth), tile);
    },
    async read(level, index, width) {
      const growing = edge.slice(level, index, width);
      if (growing !== undefined) return growing;
      const bytes = await full(level, index);
      return width === tileWidth ? bytes : bytes.subarray(0, width * hashBytes);
    },
    pending: () => [...unwritten.values()],
    written(tiles) {
      for (const { level, index } of tiles) unwritten.delete(tilePath(level, index, tileWidth));
    },
  };
}

/** Reads the growing tiles of a log that was closed. @throws AuditLogError */
export async function readGrowingTiles(
  files: LogFiles,
  tiles: readonly TilePlace[],
): Promise<readonly Tile[]> {
  return Promise.all(
    tiles.map(async (tile) => {
      const path = tilePath(tile.level, tile.index, tile.width);
      const bytes = await files.read(path);
      if (bytes?.length !== tile.width * hashBytes) throw damagedTile(path, bytes);
      return { ...tile, bytes };
    }),
  );
}

function damagedTile(path: string, bytes: Uint8Array | undefined): AuditLogError {
  const what = bytes === undefined ? "is missing" : "is damaged";
  return new AuditLogError(`The file ${path} of the audit log ${what}: restore it from a backup.`);
}
