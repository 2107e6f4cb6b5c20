import { existsSync } from "node:fs";
import { copyFile, mkdir, readFile, rename, rmdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { isDeepStrictEqual } from "node:util";

import {
  counted,
  installationAggregate,
  installationPart,
  installationPartBytes,
  seriesName,
  storeRewindAggregate,
} from "@hostledger/core";
import { restoreLog } from "@hostledger/audit-service";
import { createCommandHandler, type EventStore, joinEvents } from "@hostledger/store";
import { openSqliteSubjectKeys } from "@hostledger/store/personal-data";
import { openSandbox } from "@hostledger/providers";
import {
  claimDataDirectory,
  randomIds,
  refuseWritableByOthers,
  silentLogger,
  syncFolder,
  systemClock,
} from "@hostledger/runtime";

import { dataFiles } from "../data-files.ts";
import { withStore } from "../store-file.ts";
import { BackupError } from "./backup-error.ts";
import { unpackDocuments } from "./document-packs.ts";
import { earlierRestores, recordRestore } from "./earlier-restores.ts";
import { type BackupOptions, type BackupSummary, isEvents, isPack, pathInData } from "./make-backup.ts";
import { type Manifest, manifestName, type SetEvents } from "./manifest.codec.ts";
import { discard, namesIn, readManifest, sealFile, verifyFiles } from "./set-files.ts";
import { skipIds } from "../skipped-ids.ts";

/**
 * Directory in which a restore works, inside the data directory; while it exists, no process starts on the data
 * directory.
 */
const growingName = "restoring";

/** Files of simulated providers, which survive the loss of the machine. */
const survivorForm = /^sandbox\.sqlite(-wal|-shm)?$/;

/**
 * Restores a set into a data directory. Compares every file with its hash, the joined events with the manifest, and
 * the recomputed tiles of the audit log with all checkpoints of the set, before anything is put in place. An
 * existing `sandbox.sqlite` stays, as a real registrar would; names in it that no event has are reported. The
 * restored store is accepted, so its first start sells with new ids and a new series of documents.
 * @throws BackupError | AuditLogError | TransferError if the set is incomplete, changed or of another version, or
 * the directory is in use; nothing is written
 * @throws DataDirectoryError if others may write in the directory; nothing is written
 */
export async function restoreBackup(options: BackupOptions): Promise<BackupSummary> {
  const { configuration, set } = options;
  const { data } = configuration;
  const manifest = await readManifest(set);
  if (manifest === undefined)
    throw new BackupError(`There is no backup in ${set}: it has no ${manifestName}, so it was never whole.`);
  const survivors = await refuseUsed(data);
  if (existsSync(data)) refuseWritableByOthers(data);
  refuseOtherEngine(manifest.facts, configuration);
  await verifyFiles(set, manifest.files);
  const isNew = !existsSync(data);
  const growing = join(data, growingName);
  await mkdir(growing, { recursive: true, mode: 0o700 });
  try {
    const notices = await grow(options, manifest, { growing, keepsSandbox: survivors.length > 0 });
    await moveUp(growing, data);
    const { position, events } = manifest.facts;
    return { position: BigInt(position), events, files: manifest.files.length, notices };
  } catch (error) {
    await discard(growing);
    if (isNew) await rmdir(data);
    throw error;
  }
}

/** @returns names of the existing files that stay. @throws BackupError */
async function refuseUsed(data: string): Promise<readonly string[]> {
  const names = (await namesIn(data)).filter((name) => name !== "lost+found");
  if (names.includes(growingName))
    throw new BackupError(
      `${join(data, growingName)} is there: another restore is at work, or one was cut off; then remove it.`,
    );
  const used = names.find((name) => !survivorForm.test(name));
  if (used === undefined) return names;
  throw new BackupError(
    `The directory ${data} is not empty (${used}): restore into an empty or a new one, and move this one aside.`,
  );
}

/** @throws BackupError */
function refuseOtherEngine({ engine }: SetEvents, { eventStore }: BackupOptions["configuration"]): void {
  const isEmbedded = eventStore === "embedded";
  if (isEmbedded === (engine === "embedded")) return;
  throw new BackupError(
    isEmbedded
      ? "The events of this backup are on EventStoreDB: restore the server first, and name it with HOSTLEDGER_EVENT_STORE."
      : "This backup holds the events of an embedded store, and HOSTLEDGER_EVENT_STORE names a server: restore without it.",
  );
}

/** @returns sentences for the operator */
async function grow(
  { configuration, set, above, isCopy = false }: BackupOptions,
  { facts: events, files }: Manifest,
  { growing, keepsSandbox }: { readonly growing: string; readonly keepsSandbox: boolean },
): Promise<readonly string[]> {
  const log = new Map<string, string>();
  for (const { path } of files) {
    const name = pathInData(path);
    if (name.startsWith("audit/")) log.set(name, await readFile(join(set, path), "utf8"));
    else if (!isEvents(path) && !isPack(path) && !(keepsSandbox && name === dataFiles.sandbox)) {
      await copyFile(join(set, path), join(growing, name));
      await sealFile(growing, name);
    }
  }
  if (events.engine === "embedded") {
    const copies = files.map(({ path }) => path).filter(isEvents);
    const joined = joinEvents(
      join(growing, dataFiles.events),
      copies.map((path) => join(set, path)),
    );
    const { engine: _engine, ...expected } = events;
    if (!isDeepStrictEqual(joined, expected))
      throw new BackupError(`The events in ${set} are not those that its ${manifestName} names.`);
  }
  await unpackDocuments(
    growing,
    files.filter(({ path }) => isPack(path)).map(({ path }) => join(set, path)),
  );
  await forgetErasureMark(join(growing, dataFiles.subjectKeys));
  return withStore({ ...configuration, data: growing }, async (store) => {
    if (log.size > 0)
      await restoreLog(
        { files: log, size: events.events },
        { store, dataDirectory: growing, clock: systemClock(), logger: silentLogger() },
      );
    const notices = keepsSandbox ? await afterwards(store, dirname(growing)) : [];
    const ends = await acceptRestored(store, { above, known: await earlierRestores(set) });
    if (isCopy) await nameCopy(store);
    const unrecorded = isCopy ? undefined : recordRestore(set, ends);
    return unrecorded === undefined ? notices : [...notices, unrecorded];
  });
}

/**
 * The keys were copied after the events, so their mark may be at a place that other events take from now on: erasures are
 * looked for from the first event on.
 */
async function forgetErasureMark(path: string): Promise<void> {
  if (!existsSync(path)) return;
  const keys = openSqliteSubjectKeys({ path });
  try {
    await keys.markErasuresUntil("0");
  } finally {
    await keys.close();
  }
}

/** Returns names at the registrar that no event has: they were registered after the backup. */
async function afterwards(store: EventStore, data: string): Promise<readonly string[]> {
  const clock = systemClock();
  const sandbox = openSandbox({ path: join(data, dataFiles.sandbox), clock, latencyMs: 0, limboMs: 0 });
  try {
    const unknown: string[] = [];
    for (const { name } of sandbox.show().registrar)
      if (!(await hasEvents(store, `domain-${name}`))) unknown.push(name);
    if (unknown.length === 0)
      return ["The registrar's own file was kept: it holds no name that the events do not know."];
    return [
      `The registrar's own file was kept. It holds ${counted(unknown.length, "name")} registered after the backup that the events do not know: ${unknown.join(", ")}.`,
    ];
  } finally {
    sandbox.close();
  }
}

async function hasEvents(store: EventStore, stream: string): Promise<boolean> {
  for await (const _event of store.read(stream, { limit: 1 })) return true;
  return false;
}

/** Puts the directory together. The marker comes last, since nothing starts on a directory that holds files without it. */
async function moveUp(growing: string, data: string): Promise<void> {
  const marked = claimDataDirectory(join(growing, "marked"));
  marked.release();
  const marker = "hostledger.json";
  for (const name of await namesIn(growing))
    if (name !== "marked") await rename(join(growing, name), join(data, name));
  await syncFolder(data);
  await rename(join(growing, "marked", marker), join(data, marker));
  await discard(growing);
  await syncFolder(data);
}

/**
 * Accepts a restored store, as `admin store accept` does. Ids and document numbers that were given out after the backup are
 * unknown. Therefore ids leave a gap, and documents continue in a new series.
 * @param known where earlier restores of the same backup have ended.
 * @returns where sequences continue, and the number of the series.
 */
async function acceptRestored(
  store: EventStore,
  { above, known }: { readonly above: number | undefined; readonly known: ReadonlyMap<string, number> },
): Promise<ReadonlyMap<string, number>> {
  const commands = createCommandHandler({ store, recordedBy: "restore" });
  const restoreId = randomIds.uuid();
  const context = { commandId: `restore/${restoreId}`, correlationId: restoreId, actor: "process:restore" };
  const { state } = await commands.load(storeRewindAggregate, "all");
  const sequences = await skipIds(commands, state, {
    known,
    context,
    ...(above === undefined ? {} : { above }),
  });
  const at = systemClock().now();
  const data = {
    reason: "hostledger restore",
    sequences,
    isForced: true,
    knownSeries: known.get(seriesName) ?? 0,
    at,
  };
  const executed = await commands.execute(
    storeRewindAggregate,
    "all",
    { type: "AcceptStoreRewind", data },
    context,
  );
  if (!executed.accepted) throw new Error(executed.rejection.message);
  const ends = sequences.map(({ sequence, last }): [string, number] => [sequence, last]);
  return new Map([...ends, [seriesName, executed.state.series]]);
}

/**
 * Gives a test copy its own random part, so that providers can distinguish its orders and machines from the
 * original's.
 */
async function nameCopy(store: EventStore): Promise<void> {
  const commands = createCommandHandler({ store, recordedBy: "restore" });
  const part = installationPart(Buffer.from(randomIds.secret(installationPartBytes), "base64url"));
  const commandId = randomIds.uuid();
  const copy = { type: "CopyInstallation", data: { part, at: systemClock().now() } } as const;
  const context = { commandId, correlationId: commandId, actor: "restore" };
  const executed = await commands.execute(installationAggregate, "all", copy, context);
  if (!executed.accepted) throw new Error("the copy's random part could not be stored");
}
