import {
  formatCheckpoint,
  hashBytes,
  partialTiles,
  rootOf,
  signNote,
  tilePath,
  tileWidth,
  type Tile,
} from "@hostledger/transparency";

import type { CheckpointHistory } from "./checkpoint-history.ts";
import type { LogKeys } from "./key-file.ts";
import type { FilePiece, LogFiles } from "./log-files.ts";
import { positionsFile, type Positions } from "./positions.ts";
import type { TileStore } from "./tile-store.ts";

/** Name of the file with the last checkpoint. */
export const checkpointFile = "checkpoint";

const checkpointMode = 0o644;

/** Files that are written at the same time: Node's pool has four threads. */
const writers = 4;

/** A signed state of the log. */
export interface Checkpoint {
  /** The signed note (C2SP tlog-checkpoint). */
  readonly note: string;
  readonly size: number;
  readonly root: Uint8Array;
}

/** What publishing works on. */
export interface PublisherParts {
  readonly files: LogFiles;
  readonly tiles: TileStore;
  readonly positions: Positions;
  readonly history: CheckpointHistory;
}

/**
 * Writes what came since the last time, then the checkpoint that signs it. The order is what makes the log safe to
 * kill: tiles and positions beyond the checkpoint mean nothing and are written again, and a checkpoint stands only once
 * all that it signs is on the disk.
 */
export async function publish(
  parts: PublisherParts,
  keys: LogKeys,
  last: Checkpoint | undefined,
): Promise<Checkpoint> {
  const { files, tiles, positions, history } = parts;
  // Taken in one turn, since leaves come in while this writes.
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
  // The full tile has what its partial forms had; until it is there, checkpoints of the past need them (C2SP).
  for (const { level, index } of full) await files.remove(`${tilePath(level, index, tileWidth)}.p`);
  return { note, size, root };
}

/** Writes full tiles ahead of the next checkpoint, so that a long catching up does not fill the memory. */
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

/** A growing tile that the last checkpoint had as well is published: it is not touched again. */
function isNewSince(size: number): (tile: Tile) => boolean {
  const published = new Set(
    partialTiles(size).map(({ level, index, width }) => tilePath(level, index, width)),
  );
  return ({ level, index, width }) => !published.has(tilePath(level, index, width));
}

/** Reads the tiles as they were when the partial ones were copied. */
function readerAt(tiles: TileStore, partials: readonly Tile[]): TileStore["read"] {
  return (level, index, width) => {
    const copy = partials.find((tile) => tile.level === level && tile.index === index && tile.width >= width);
    return copy === undefined
      ? tiles.read(level, index, width)
      : Promise.resolve(copy.bytes.subarray(0, width * hashBytes));
  };
}
