import { constants, existsSync } from "node:fs";
import { access, mkdir, readFile, rename } from "node:fs/promises";
import { join } from "node:path";

import { readKeptLog } from "@hostledger/audit-service";
import { copyEvents } from "@hostledger/store";
import { holdLock, syncFolder, systemClock, type DirectoryLock } from "@hostledger/runtime";

import type { Configuration } from "../configuration/index.ts";
import { dataFiles } from "../data-files.ts";
import { withStore } from "../store-file.ts";
import { BackupError } from "./backup-error.ts";
import { packDocuments, packName } from "./document-packs.ts";
import { restoredName } from "./earlier-restores.ts";
import {
  formatManifest,
  manifestName,
  type Manifest,
  type SetEvents,
  type SetFile,
} from "./manifest.codec.ts";
import {
  copyDatabase,
  discard,
  namesIn,
  readManifest,
  runFolder,
  sealFile,
  secretNames,
  wholeDatabases,
  writePrivate,
} from "./set-files.ts";

/** Locked by the run that writes to the set. The file stays empty; restores and copies ignore it. */
const lockName = "lock.sqlite";

/** Names in a set beside the folders of its runs. */
const setNames: ReadonlySet<string> = new Set([
  manifestName,
  `${manifestName}.new`,
  lockName,
  `${lockName}-journal`,
  restoredName,
  `${restoredName}.new`,
]);

export interface BackupOptions {
  readonly configuration: Pick<Configuration, "eventStore" | "data" | "database" | "startTimeoutMs">;
  readonly set: string;
  /** The id that every sequence of a restored store continues after at least. */
  readonly above?: number;
  /** Only of a restore: a test copy draws a random part of its own. Default: false. */
  readonly isCopy?: boolean;
}

/** Contents of a set. */
export interface BackupSummary {
  /** Position of the last event in it. */
  readonly position: bigint;
  readonly events: number;
  /** Files of the set, the manifest left out. */
  readonly files: number;
  /** Sentences for the operator about what the set lacks, and other notices. */
  readonly notices: readonly string[];
}

/**
 * Creates a backup set of a data directory that may be in use, or adds new data to the set. The order of copying
 * gives one consistent position: checkpoints come before the events, so that they cover only backed-up events; keys
 * of personal data and the simulated providers' data come after the events, so that no event lacks its key.
 * @throws BackupError if there is nothing to back up, the directory has foreign files, or another run writes to it
 * @throws TransferError if the existing set is of another store
 * @throws Error with Node's code; the earlier set is then unchanged
 */
export async function makeBackup({ configuration, set }: BackupOptions): Promise<BackupSummary> {
  refuseEmpty(configuration);
  await refuseForeign(set);
  const lock = await lockSet(set);
  try {
    return await addRun({ configuration, set });
  } finally {
    lock.release();
  }
}

/**
 * Locks the set, because a run removes files that no manifest names, also those of a run in progress.
 * @throws BackupError
 */
async function lockSet(set: string): Promise<DirectoryLock> {
  await mkdir(set, { recursive: true, mode: 0o700 });
  // A directory without write permission is reported in the system's words; SQLite would only say that it
  // cannot open the lock.
  await access(set, constants.R_OK | constants.W_OK | constants.X_OK);
  const lock = holdLock(join(set, lockName));
  if (lock !== undefined) return lock;
  throw new BackupError(`Another backup is writing ${set}: wait for it to end.`);
}

async function addRun({ configuration, set }: BackupOptions): Promise<BackupSummary> {
  const { data } = configuration;
  const before = await readManifest(set);
  const run = await nextRun(set);
  await mkdir(join(set, run), { recursive: true, mode: 0o700 });
  try {
    const log = await readKeptLog(data);
    const facts = await takeEvents(configuration, {
      before: before?.facts,
      to: join(set, run, dataFiles.events),
      signed: log?.size ?? 0,
    });
    for (const [path, text] of log?.files ?? []) await writePrivate(join(set, run, path), text);
    for (const name of wholeDatabases)
      if (existsSync(join(data, name))) copyDatabase(join(data, name), join(set, run, name));
    for (const name of secretNames)
      if (existsSync(join(data, name)))
        await writePrivate(join(set, run, name), await readFile(join(data, name), "utf8"));
    // After the events, so that each document that one of them names is there.
    const damaged = await packDocuments({
      data,
      to: join(set, run, packName),
      earlier: (before?.files ?? []).filter(({ path }) => isPack(path)).map(({ path }) => join(set, path)),
    });
    const files = await sealRun(set, run, before?.files ?? []);
    await publishManifest(set, { takenAt: systemClock().now(), facts, files });
    await removeSuperseded(set, run, files);
    const { position, events } = facts;
    const notices = [...noticesOf(configuration), ...damaged];
    return { position: BigInt(position), events, files: files.length, notices };
  } catch (error) {
    // After the manifest names them, the files of this run are the backup.
    const isPublished = (await readManifest(set))?.files.some(({ path }) => path.startsWith(`${run}/`));
    if (isPublished !== true) await discard(join(set, run));
    throw error;
  }
}

function refuseEmpty({ eventStore, data }: BackupOptions["configuration"]): void {
  const ours = eventStore === "embedded" ? [dataFiles.events] : ["audit", ...wholeDatabases, ...secretNames];
  if (ours.some((name) => existsSync(join(data, name)))) return;
  throw new BackupError(`There is nothing to back up in ${data}: name its data directory with --data.`);
}

/** @throws BackupError */
async function refuseForeign(set: string): Promise<void> {
  const foreign = (await namesIn(set)).find((name) => !runFolder.test(name) && !setNames.has(name));
  if (foreign !== undefined)
    throw new BackupError(
      `The directory ${set} holds files that are not a backup's (${foreign}): choose an empty or a new one.`,
    );
}

/** The name of the folder after those that are there, of runs that were cut off too. */
async function nextRun(set: string): Promise<string> {
  const runs = (await namesIn(set)).filter((name) => runFolder.test(name)).map(Number);
  return String(Math.max(0, ...runs) + 1).padStart(6, "0");
}

async function takeEvents(
  configuration: BackupOptions["configuration"],
  { before, to, signed }: { before: SetEvents | undefined; to: string; signed: number },
): Promise<SetEvents> {
  const engine = configuration.eventStore === "embedded" ? "embedded" : "eventstoredb";
  if (before !== undefined && before.engine !== engine)
    throw new BackupError("The existing backup is of another store: choose an empty directory.");
  if (engine === "eventstoredb") {
    const position = await withStore(configuration, (store) => store.lastPosition());
    return { engine, position: String(position ?? 0n), events: signed };
  }
  const after = before?.engine === "embedded" ? before : undefined;
  const mark = copyEvents({ from: join(configuration.data, dataFiles.events), to, after });
  // A run to which no event came keeps no empty store.
  if (mark.events === after?.events) await discard(to);
  return { engine, ...mark };
}

/**
 * Seals the new files, and lists them with the events and documents of all runs; unchanged files stay where an
 * earlier run wrote them.
 */
async function sealRun(set: string, run: string, before: readonly SetFile[]): Promise<SetFile[]> {
  const files = before.filter(({ path }) => isEvents(path) || isPack(path));
  const names = [...(await namesIn(join(set, run)))].filter((name) => name !== "audit");
  const audit = await namesIn(join(set, run, "audit"));
  const checkpoints = await namesIn(join(set, run, "audit", "checkpoints"));
  const paths = [
    ...names,
    ...audit.filter((name) => name !== "checkpoints").map((name) => `audit/${name}`),
    ...checkpoints.map((name) => `audit/checkpoints/${name}`),
  ].sort();
  for (const path of paths) {
    const taken = await sealFile(set, `${run}/${path}`);
    const same = before.find((file) => file.sha256 === taken.sha256 && pathInData(file.path) === path);
    files.push(same ?? taken);
  }
  await syncFolder(join(set, run));
  await syncFolder(set);
  return files;
}

/** A file's path below the data directory. */
export function pathInData(path: string): string {
  return path.slice(path.indexOf("/") + 1);
}

export function isEvents(path: string): boolean {
  return pathInData(path) === dataFiles.events;
}

/** Returns true for a file of documents. */
export function isPack(path: string): boolean {
  return pathInData(path) === packName;
}

async function publishManifest(set: string, manifest: Omit<Manifest, "format" | "version">): Promise<void> {
  const growing = `${manifestName}.new`;
  await discard(join(set, growing));
  await writePrivate(join(set, growing), formatManifest(manifest));
  await sealFile(set, growing);
  await rename(join(set, growing), join(set, manifestName));
  await syncFolder(set);
}

/**
 * Removes files that the manifest no longer names, because keys that were destroyed since must not survive in the
 * set.
 */
async function removeSuperseded(set: string, run: string, files: readonly SetFile[]): Promise<void> {
  const kept = new Set(files.map(({ path }) => path));
  for (const folder of await namesIn(set)) {
    if (!runFolder.test(folder) || folder > run) continue;
    const isKept = files.some(({ path }) => path.startsWith(`${folder}/`));
    if (!isKept) await discard(join(set, folder));
    else await removeFrom(set, folder, kept);
  }
}

async function removeFrom(set: string, folder: string, kept: ReadonlySet<string>): Promise<void> {
  for (const name of [dataFiles.events, packName, ...wholeDatabases, ...secretNames, "audit/key"])
    if (!kept.has(`${folder}/${name}`)) await discard(join(set, folder, name));
  for (const name of await namesIn(join(set, folder, "audit", "checkpoints"))) {
    const path = `${folder}/audit/checkpoints/${name}`;
    if (!kept.has(path)) await discard(join(set, path));
  }
}

/** Returns the notices about what the operator must back up separately. */
function noticesOf({ eventStore, database }: BackupOptions["configuration"]): readonly string[] {
  return [
    ...(eventStore === "embedded"
      ? []
      : [
          "The events are on EventStoreDB and not in this set: back up the server now, after this, by its own means.",
        ]),
    ...(database === "sqlite"
      ? []
      : [
          "The keys of personal data and the documents are in PostgreSQL and not in this set: run pg_dump --schema=hostledger_keys --schema=hostledger_documents last.",
        ]),
  ];
}
