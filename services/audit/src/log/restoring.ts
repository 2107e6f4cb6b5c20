import { counted } from "@hostledger/core";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

import { openNote, parseCheckpoint, parseVerifierKey, rootOf, sameBytes } from "@hostledger/audit/log";

import { openAuditLog, type AuditLog, type AuditLogOptions } from "./audit-log.ts";
import { historyFolder } from "./checkpoint-history.ts";
import { keyFile, letBegin, readKeys, unsignedFile } from "./key-file.ts";
import { lackingPast } from "./leaf.ts";
import { AuditLogError, LogContradictionError } from "./log-error.ts";
import { logFiles } from "./log-files.ts";
import { checkpointFile } from "./publisher.ts";

/** The files of a log that a backup needs; tiles can be computed again. */
export interface KeptLog {
  /** Text of its files, by their path below the data directory. */
  readonly files: ReadonlyMap<string, string>;
  /** Number of events in its last checkpoint. */
  readonly size: number;
}

/**
 * Reads the keys and checkpoints of a log, which may be in use. Events read from the store afterwards include all signed
 * ones.
 * @param dataDirectory the log is in `audit/` below it
 * @returns undefined if no log was begun
 * @throws AuditLogError the files are damaged
 */
export async function readKeptLog(dataDirectory: string): Promise<KeptLog | undefined> {
  const files = logFiles(join(dataDirectory, "audit"));
  const keys = await readKeys(files, undefined);
  if (keys === undefined) return undefined;
  const verifierKeys = keys.signers.map(({ verifierKey }) => verifierKey);
  const kept = new Map<string, string>();
  const keep = async (path: string, as = path): Promise<string | undefined> => {
    const content = await files.read(path);
    if (content === undefined) return undefined;
    const text = Buffer.from(content).toString("utf8");
    kept.set(`audit/${as}`, text);
    return text;
  };
  for (const name of await files.list(historyFolder))
    if (/^[1-9]\d{0,15}$/.test(name)) await keep(`${historyFolder}/${name}`);
  const note = await keep(checkpointFile);
  kept.delete(`audit/${checkpointFile}`);
  const size = note === undefined ? 0 : signedBy(note, verifierKeys).size;
  if (note !== undefined && size > 0) kept.set(`audit/${historyFolder}/${String(size)}`, note);
  await keep(keyFile);
  return { files: kept, size };
}

/**
 * Rebuilds the tiles of a log from the store, and checks them against every stored checkpoint. This proves that the store
 * has all signed events unchanged.
 * @throws AuditLogError the store contradicts the checkpoints, in a sentence
 */
export async function restoreLog({ files }: KeptLog, options: AuditLogOptions): Promise<void> {
  for (const [path, text] of [...files, [`audit/${unsignedFile}`, ""] as const]) {
    const at = join(options.dataDirectory, path);
    await mkdir(dirname(at), { recursive: true });
    await writeFile(at, text, { mode: 0o600 });
  }
  const log = await openAuditLog(options);
  try {
    await log.ready();
    const { status, sentence } = log.health();
    if (status === "stopped") throw new AuditLogError(sentence ?? "The audit log cannot be made again.");
    for (const note of await log.earlierNotes()) await refuseContradiction(log, note);
  } finally {
    await log.close();
  }
}

/** Lets a log begin for a store that was moved to a data directory: the next start makes the log with a new key. */
export async function letLogBegin(dataDirectory: string): Promise<void> {
  await letBegin(logFiles(join(dataDirectory, "audit")));
}

/** @throws AuditLogError */
async function refuseContradiction(log: AuditLog, note: string): Promise<void> {
  const { size, root } = signedBy(note, log.verifierKeys());
  if (size > log.size) throw lackingPast(size);
  if (sameBytes(await rootOf(size, log.readTile), root)) return;
  throw new LogContradictionError(
    `The events are not those of the checkpoint that was signed at ${counted(size, "event")}: they were changed, or are another store's.`,
  );
}

function signedBy(note: string, verifierKeys: readonly string[]): { size: number; root: Uint8Array } {
  try {
    return parseCheckpoint(openNote(note, verifierKeys.map(parseVerifierKey)).text);
  } catch (error) {
    throw new AuditLogError("A checkpoint of the audit log is not signed by its keys.", { cause: error });
  }
}
