import { openNote, parseCheckpoint, parseVerifierKey, partialTiles, rootOf } from "@hostledger/transparency";

import { checkpointHistory } from "./checkpoint-history.ts";
import { hasSigned, letBegin, makeKeys, mayBegin, readKeys, type LogKeys } from "./key-file.ts";
import { sameHash } from "./leaf.ts";
import { AuditLogError, LostLogError } from "./log-error.ts";
import type { LogFiles } from "./log-files.ts";
import { createPositions, positionsFile } from "./positions.ts";
import { checkpointFile, publish, type Checkpoint, type PublisherParts } from "./publisher.ts";
import { createTileStore, readGrowingTiles } from "./tile-store.ts";

/** A log as its files have it. */
export interface OpenedFiles {
  readonly parts: PublisherParts;
  readonly keys: LogKeys;
  /** The last checkpoint, signed by all keys. */
  readonly published: Checkpoint;
}

/**
 * Reads the files of a log, or makes those of an empty one. What was written beyond the last checkpoint is as good as not
 * there: the store has it, and it is written again.
 *
 * @param origin the name that the log is to have; default: the one it has, or one made at random.
 * @throws LostLogError all files of a log are missing that was there before
 * @throws AuditLogError files are missing, damaged or another log's
 */
export async function openFiles(
  files: LogFiles,
  {
    origin,
    epochMilliseconds,
    lost,
  }: {
    origin: string | undefined;
    epochMilliseconds: () => number;
    /** The log that events of the store were recorded in before; undefined where there can have been none. */
    lost?: string | undefined;
  },
): Promise<OpenedFiles> {
  const note = await files.read(checkpointFile);
  const kept = await readKeys(files, origin);
  if (note !== undefined && kept === undefined)
    throw new AuditLogError("The audit log's key file is missing: restore it from a backup.");
  if (note === undefined && kept !== undefined && !(await mayBegin(files)))
    throw new LostLogError(kept.origin);
  if (note === undefined && kept === undefined && (await files.list("tile")).length > 0)
    throw new AuditLogError(
      "The audit log's key file and checkpoint are missing: restore them from a backup.",
    );
  if (note === undefined && kept === undefined && lost !== undefined && !(await mayBegin(files)))
    throw new LostLogError(lost);
  const keys = kept ?? (await makeKeys(files, origin));
  const found = note === undefined ? undefined : openCheckpoint(Buffer.from(note).toString("utf8"), keys);
  const size = found?.checkpoint.size ?? 0;
  const tiles = createTileStore(files, size, await readGrowingTiles(files, partialTiles(size)));
  const positions = createPositions(files);
  const history = checkpointHistory(files, epochMilliseconds);
  const parts: PublisherParts = { files, tiles, positions, history };
  if (found !== undefined && !sameHash(await rootOf(size, tiles.read), found.checkpoint.root))
    throw new AuditLogError(
      "The audit log's tiles are not those of its checkpoint: restore them from a backup.",
    );
  // A process that was killed between writing a new key and signing with it left a checkpoint without that signature.
  const isSigned = found?.signatures === keys.signers.length;
  const published = isSigned ? found.checkpoint : await publish(parts, keys, found?.checkpoint);
  await hasSigned(files);
  return { parts, keys, published };
}

/**
 * Clears what is left of a log that has lost its state, so that the same keys make it anew from the store. Checkpoints of
 * the past stay: they are what the new log has to be consistent with.
 */
export async function forgetState(files: LogFiles): Promise<void> {
  for (const path of ["tile", positionsFile]) await files.remove(path);
  await letBegin(files);
}

/** @throws AuditLogError */
function openCheckpoint(note: string, keys: LogKeys): { checkpoint: Checkpoint; signatures: number } {
  try {
    const verifiers = keys.signers.map(({ verifierKey }) => parseVerifierKey(verifierKey));
    const { text, signatures } = openNote(note, verifiers);
    const { origin, size, root } = parseCheckpoint(text);
    if (origin === keys.origin) return { checkpoint: { note, size, root }, signatures: signatures.length };
  } catch (error) {
    throw new AuditLogError(
      "The audit log's checkpoint is not signed by its keys: restore both from a backup.",
      { cause: error },
    );
  }
  throw new AuditLogError("The audit log's checkpoint is another log's: restore it from a backup.");
}
