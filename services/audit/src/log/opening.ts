import {
  NoteError,
  openNote,
  parseCheckpoint,
  parseVerifierKey,
  partialTiles,
  rootOf,
  sameBytes,
} from "@hostledger/audit/log";

import { checkpointHistory, historyFolder } from "./checkpoint-history.ts";
import {
  hasSigned,
  keyFile,
  letBegin,
  makeKeys,
  mayBegin,
  readableKeys,
  readKeys,
  type LogKeys,
} from "./key-file.ts";
import { AuditLogError, LostLogError, lostState } from "./log-error.ts";
import type { LogFiles } from "./log-files.ts";
import { createPositions, positionsFile } from "./positions.ts";
import { checkpointFile, publish, type Checkpoint, type PublisherParts } from "./publisher.ts";
import { createTileStore, readGrowingTiles, type TileStore } from "./tile-store.ts";

/** Folder of checkpoints whose keys are lost. */
export const lostFolder = "lost-checkpoints";

const noteMode = 0o644;

export interface OpenedFiles {
  readonly parts: PublisherParts;
  readonly keys: LogKeys;
  /** The last checkpoint, signed by all keys. */
  readonly published: Checkpoint;
}

/**
 * Reads the files of a log, or creates those of an empty one. Files beyond the last checkpoint are ignored and written
 * again from the store.
 * @param origin name of the log; default: its present name, or a random one.
 * @throws LostLogError files of an earlier log are missing, damaged or another log's
 * @throws AuditLogError the log has another name
 */
export async function openFiles(
  files: LogFiles,
  {
    origin,
    epochMilliseconds,
    whyLost,
  }: {
    origin: string | undefined;
    epochMilliseconds: () => number;
    /** Called if there is no file of a log. Returns the error for a store that had a log; undefined for a new store. */
    whyLost: () => Promise<LostLogError | undefined>;
  },
): Promise<OpenedFiles> {
  const note = await files.read(checkpointFile);
  const kept = await readKeys(files, origin);
  if (note !== undefined && kept === undefined) throw new LostLogError("The audit log's key file is missing");
  if (note === undefined && kept !== undefined && !(await mayBegin(files))) throw lostState(kept.origin);
  if (note === undefined && kept === undefined && (await files.list("tile")).length > 0)
    throw new LostLogError("The audit log's key file and checkpoint are missing");
  if (note === undefined && kept === undefined && !(await mayBegin(files))) {
    const lost = await whyLost();
    if (lost !== undefined) throw lost;
  }
  const keys = kept ?? (await makeKeys(files, origin));
  const found = note === undefined ? undefined : openCheckpoint(Buffer.from(note).toString("utf8"), keys);
  const size = found?.checkpoint.size ?? 0;
  const tiles = createTileStore(files, size, await readGrowingTiles(files, partialTiles(size)));
  const positions = createPositions(files);
  const history = checkpointHistory(files, epochMilliseconds);
  const parts: PublisherParts = { files, tiles, positions, history };
  if (found !== undefined && !(await hasRoot(tiles, found.checkpoint)))
    throw new LostLogError("The audit log's tiles are not those of its checkpoint");
  // A process killed between writing a new key and signing left a checkpoint without that signature.
  const isSigned = found?.signatures === keys.signers.length;
  const published = isSigned ? found.checkpoint : await publish(parts, keys, found?.checkpoint);
  await hasSigned(files);
  return { parts, keys, published };
}

/**
 * Clears an unusable log, so that it is rebuilt from the store with the same keys if they can be read. Past checkpoints
 * stay, because the new log must be consistent with them. Checkpoints with lost keys are moved aside for verifiers that
 * know these keys.
 */
export async function forgetState(files: LogFiles): Promise<void> {
  const keys = await readableKeys(files);
  const note = await textIn(files, checkpointFile);
  const last = keys && note && openedOrLost(note, keys);
  if (typeof last === "object")
    await files.replace(`${historyFolder}/${String(last.size)}`, last.note, noteMode);
  else if (note !== undefined) await files.replace(`${lostFolder}/last`, note, noteMode);
  if (keys === undefined) {
    for (const name of await files.list(historyFolder))
      await files.replace(
        `${lostFolder}/${name}`,
        (await textIn(files, `${historyFolder}/${name}`)) ?? "",
        noteMode,
      );
    await files.remove(historyFolder);
    await files.remove(keyFile);
  }
  for (const path of [checkpointFile, "tile", positionsFile]) await files.remove(path);
  await letBegin(files);
}

function openedOrLost(note: string, keys: LogKeys): Checkpoint | undefined {
  try {
    return openCheckpoint(note, keys).checkpoint;
  } catch (error) {
    if (error instanceof LostLogError) return undefined;
    throw error;
  }
}

/** True if the tiles match a checkpoint; false if a tile cannot be read. */
async function hasRoot({ read }: Pick<TileStore, "read">, { size, root }: Checkpoint): Promise<boolean> {
  try {
    return sameBytes(await rootOf(size, read), root);
  } catch (error) {
    if (error instanceof AuditLogError) return false;
    throw error;
  }
}

async function textIn(files: LogFiles, path: string): Promise<string | undefined> {
  const content = await files.read(path);
  return content && Buffer.from(content).toString("utf8");
}

/** @throws LostLogError */
function openCheckpoint(note: string, keys: LogKeys): { checkpoint: Checkpoint; signatures: number } {
  try {
    const verifiers = keys.signers.map(({ verifierKey }) => parseVerifierKey(verifierKey));
    const { text, signatures } = openNote(note, verifiers);
    const { origin, size, root } = parseCheckpoint(text);
    if (origin === keys.origin) return { checkpoint: { note, size, root }, signatures: signatures.length };
  } catch (error) {
    if (!(error instanceof NoteError)) throw error;
    throw new LostLogError("The audit log's checkpoint is not signed by its keys");
  }
  throw new LostLogError("The audit log's checkpoint is another log's");
}
