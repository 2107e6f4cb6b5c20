import { yieldToOthers } from "@hostledger/runtime/async";
import {
  hashBytes,
  partialTiles,
  type ReadTile,
  rootOf,
  sameBytes,
  subtreeRoot,
  tilePath,
  tileWidth,
} from "@hostledger/audit/log";

import type { LogReader } from "../log.port.ts";
import { LostLogError } from "./log-error.ts";
import type { LogFiles } from "./log-files.ts";
import type { OpenedFiles } from "./opening.ts";
import type { Checkpoint } from "./publisher.ts";
import type { Signing } from "./signing.ts";
import { faultOf } from "./tile-store.ts";

/** Checks the files of the tiles during operation; `health` reports the first lost or changed one. */
export function watchTiles(
  { parts, keys }: Pick<OpenedFiles, "keys" | "parts">,
  signing: Pick<Signing, "health" | "published">,
  closing: AbortSignal,
): Pick<LogReader, "checkTiles" | "damaged" | "health"> {
  let fault: LostLogError | undefined;
  return {
    async checkTiles(signal) {
      fault = await faultOfTiles(parts.files, signing.published, AbortSignal.any([signal, closing]));
      return fault?.message;
    },
    damaged: () => (fault === undefined ? undefined : keys.origin),
    health() {
      const health = signing.health();
      if (fault === undefined || health.status === "stopped") return health;
      return { status: "failing", sentence: fault.message };
    },
  };
}

/**
 * Reads the tiles of a checkpoint from their files, not from memory. The growing tiles must give the checkpoint's root.
 * Each full tile must have the hash that the tile above it contains, from the top down.
 * @returns the first damaged tile; undefined if there is none, or if the signal aborted.
 */
async function faultOfTiles(
  files: Pick<LogFiles, "read">,
  checkpoint: Pick<Checkpoint, "size" | "root">,
  signal: AbortSignal,
): Promise<LostLogError | undefined> {
  if (checkpoint.size === 0) return undefined;
  try {
    await compareTiles(readerOf(files), checkpoint, signal);
    return undefined;
  } catch (error) {
    if (!(error instanceof LostLogError)) throw error;
    // A rebuild of the log removes its tiles.
    return signal.aborted ? undefined : error;
  }
}

/** @throws LostLogError */
async function compareTiles(
  read: ReadTile,
  { size, root }: Pick<Checkpoint, "size" | "root">,
  signal: AbortSignal,
): Promise<void> {
  if (!sameBytes(await rootOf(size, read), root)) throw changed(growingPaths(size));
  for (let level = topLevel(size); level > 0; level -= 1) {
    const hashes = Math.floor(size / tileWidth ** level);
    let above: Uint8Array = new Uint8Array();
    for (let number = 0; number < hashes && !signal.aborted; number += 1) {
      const place = number % tileWidth;
      if (place === 0) above = await read(level, number / tileWidth, Math.min(tileWidth, hashes - number));
      const bytes = await read(level - 1, number, tileWidth);
      const expected = above.subarray(place * hashBytes, (place + 1) * hashBytes);
      if (!sameBytes(subtreeRoot(bytes), expected)) throw changed(tilePath(level - 1, number));
      await yieldToOthers();
    }
  }
}

/** A growing tile may be full by now; its file then begins with the same hashes. */
function readerOf(files: Pick<LogFiles, "read">): ReadTile {
  return async (level, index, width) => {
    const path = tilePath(level, index, width);
    const part = await files.read(path);
    const bytes = part ?? (await files.read(tilePath(level, index)));
    const expected = part === undefined ? tileWidth : width;
    if (bytes?.length !== expected * hashBytes) throw new LostLogError(faultOf(path, bytes));
    return bytes.subarray(0, width * hashBytes);
  };
}

function topLevel(size: number): number {
  let level = 0;
  while (size >= tileWidth ** (level + 1)) level += 1;
  return level;
}

function growingPaths(size: number): string {
  return partialTiles(size)
    .map(({ level, index, width }) => tilePath(level, index, width))
    .join(", ");
}

function changed(path: string): LostLogError {
  return new LostLogError(`The file ${path} of the audit log was changed since it was written`);
}
