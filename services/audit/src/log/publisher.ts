import {
  formatCheckpoint,
  hashBytes,
  partialTiles,
  rootOf,
  signNote,
  tilePath,
  tileWidth,
  type Tile,
} from "@hostledger/audit/log";

import type { CheckpointHistory } from "./checkpoint-history.ts";
import type { LogKeys } from "./key-file.ts";
import type { FilePiece, LogFiles } from "./log-files.ts";
import { positionsFile, type Positions } from "./positions.ts";
import type { TileStore } from "./tile-store.ts";

export const checkpointFile = "checkpoint";

const checkpointMode = 0o644;

/** Files written at the same time: Node's pool has four threads. */
const writers = 4;

export interface Checkpoint {
  /** The signed note (C2SP tlog-checkpoint). */
  readonly note: string;
  readonly size: number;
  readonly root: Uint8Array;
}

export interface PublisherParts {
  readonly files: LogFiles;
  readonly tiles: TileStore;
  readonly positions: Positions;
  readonly history: CheckpointHistory;
}

/**
 * Writes all new tiles and positions, then the checkpoint that signs them. This order makes a kill safe: files beyond the
 * checkpoint are ignored and written again, and a checkpoint appears only after all files that it signs are on disk.
 */
export async function publish(
  parts: PublisherParts,
  keys: LogKeys,
  last: Checkpoint | undefined,
): Promise<Checkpoint> {
  const { files, tiles, positions, history } = parts;
  // Copied in one turn, because new leaves arrive during the writes.
  const { size } = tiles;
  const full = tiles.pending();
  const partials = tiles.partials();
  const pieces = positions.pending();
  const root = await rootOf(size, readerAt(tiles, partials));
  await writeTiles(files, [...full, ...partials.filter(isNewSince(last?.size ?? 0))], pieces);
  const note = signNote(formatCheckpoint({ origin: keys.origin, size, root }), keys.signers);
  await files.replace(checkpointFile, note, checkpointMode);
  tiles.written(full);
  positions.written(pieces);
  await history.keep(size, note);
  // The full tile replaces its partial forms; past checkpoints need those until then (C2SP).
  for (const { level, index } of full) await files.remove(`${tilePath(level, index, tileWidth)}.p`);
  return { note, size, root };
}

/** Writes full tiles before the next checkpoint, so that a long catch-up does not fill the memory. */
export async function writeAhead({ files, tiles, positions }: PublisherParts): Promise<void> {
  const full = tiles.pending();
  const pieces = positions.pending();
  await writeTiles(files, full, pieces);
  tiles.written(full);
  positions.written(pieces);
}

async function writeTiles(
  files: LogFiles,
  tiles: readonly Tile[],
  pieces: readonly FilePiece[],
): Promise<void> {
  const named = tiles.map((tile) => ({
    path: tilePath(tile.level, tile.index, tile.width),
    bytes: tile.bytes,
  }));
  const queue = named.values();
  await Promise.all(
    Array.from({ length: writers }, async () => {
      for (const { path, bytes } of queue) await files.write(path, bytes);
    }),
  );
  if (pieces.length > 0) await files.patch(positionsFile, pieces);
  const paths = named.map(({ path }) => path);
  if (pieces.length > 0) paths.push(positionsFile);
  if (paths.length > 0) await files.syncNames(paths);
}

/** A growing tile of the last checkpoint is already published and must not be written again. */
function isNewSince(size: number): (tile: Tile) => boolean {
  const published = new Set(
    partialTiles(size).map(({ level, index, width }) => tilePath(level, index, width)),
  );
  return ({ level, index, width }) => !published.has(tilePath(level, index, width));
}

/** Reads the tiles in their state when the partial ones were copied. */
function readerAt(tiles: TileStore, partials: readonly Tile[]): TileStore["read"] {
  return (level, index, width) => {
    const copy = partials.find((tile) => tile.level === level && tile.index === index && tile.width >= width);
    return copy === undefined
      ? tiles.read(level, index, width)
      : Promise.resolve(copy.bytes.subarray(0, width * hashBytes));
  };
}
