import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
} from "node:fs";
import { dirname, join, resolve } from "node:path";

import { holdLock, type DirectoryLock } from "./directory-lock.ts";
import { createFileAtomically, writeFileAtomically } from "./files.ts";
import { systemCodeOf } from "./sqlite-code.ts";

/** Thrown when a directory cannot hold our data; the message is one sentence that a person can act on. */
export class DataDirectoryError extends Error {
  override readonly name = "DataDirectoryError";
}

/** A directory that belongs to this process until it releases it or dies. */
export interface DataDirectory {
  /** Absolute, with symbolic links followed. */
  readonly path: string;
  /** The path of a file in it. */
  file(name: string): string;
  /** Lets another process take it. */
  release(): void;
}

const markerName = "hostledger.json";
const lockName = "lock.sqlite";
const partLockForm = /^lock-([a-z]+)\.sqlite$/;
const partLockName = (part: string): string => `lock-${part}.sqlite`;
const format = 1;

/** What the marker says. */
const markerText = JSON.stringify({ program: "hostledger", format });

/** By these a directory is known as ours that has lost its marker. */
const ownNames = new Set(["events.sqlite", "admin.token", "audit", "read-models"]);

/**
 * What may be there before the marker is: what a first start leaves when it is killed, what a new disk holds, the keys
 * of personal data, which an operator brings along from the directory that a log was moved from, and the parts' keys, which
 * are made before any of them runs.
 */
const harmlessNames = new Set([
  lockName,
  `${lockName}-journal`,
  `${markerName}.new`,
  "lost+found",
  "subject-keys.sqlite",
  "service-keys",
]);

/**
 * Takes a directory for this process alone, and creates it (mode 0700) when there is none. It is ours when it holds our
 * marker file, or nothing. The lock is the kernel's: it ends with the process, however that ends.
 *
 * @param brought names of files that an operator may have brought here without the marker, for example from a backup.
 * @throws DataDirectoryError it belongs to something else, is in use, cannot be written, or can be written by others too.
 */
export function claimDataDirectory(path: string, brought: readonly string[] = []): DataDirectory {
  const absolute = openDirectory(path);
  refuseForeign(absolute, brought);
  const lock = guarded(absolute, () => holdLock(join(absolute, lockName)));
  if (lock === undefined) throw inUse(absolute);
  try {
    refuseSharedByOthers(absolute);
    guarded(absolute, () => {
      prepare(absolute);
    });
  } catch (error) {
    lock.release();
    throw error;
  }
  return {
    path: absolute,
    file: (name) => join(absolute, name),
    release() {
      lock.release();
    },
  };
}

/** How long a part waits for others that start at the same moment, in milliseconds. */
const turnWaitMs = 2_000;

/**
 * Opens a directory that several parts of one deployment use at once, and takes in it what belongs to one `part` only
 * (its read models, for example); without a part it takes nothing, and any number of processes may come.
 *
 * @throws DataDirectoryError it belongs to something else, another process has it whole or has that part, it cannot
 * be written, or it can be written by others too.
 */
export function shareDataDirectory(path: string, part?: string): DataDirectory {
  const absolute = openDirectory(path);
  refuseForeign(absolute);
  // Parts come in one after the other; who has the directory for itself lets none in.
  const turn = guarded(absolute, () => holdLock(join(absolute, lockName), turnWaitMs));
  if (turn === undefined) throw inUse(absolute);
  try {
    guarded(absolute, () => {
      if (!existsSync(join(absolute, markerName))) prepare(absolute);
    });
    const lock = part === undefined ? undefined : takePart(absolute, part);
    return {
      path: absolute,
      file: (name) => join(absolute, name),
      release() {
        lock?.release();
      },
    };
  } finally {
    turn.release();
  }
}

/**
 * Opens a directory beside whoever has it, whole or in parts: for those that touch only what processes share. It is made
 * and marked where nobody has before.
 *
 * @throws DataDirectoryError it belongs to something else, it cannot be written, or it can be written by others too.
 */
export function joinDataDirectory(path: string): DataDirectory {
  const absolute = openDirectory(path);
  if (!existsSync(join(absolute, markerName))) return shareDataDirectory(absolute);
  refuseForeign(absolute);
  return { path: absolute, file: (name) => join(absolute, name), release: () => undefined };
}

function takePart(path: string, part: string): DirectoryLock {
  const lock = guarded(path, () => holdLock(join(path, partLockName(part))));
  if (lock !== undefined) return lock;
  throw new DataDirectoryError(
    `The ${part} part of the data directory ${path} is in use by another running Hostledger: stop that one, or choose another directory.`,
  );
}

/** Nobody takes the whole while another process has a part of it. */
function refuseSharedByOthers(path: string): void {
  const parts = guarded(path, () => readdirSync(path)).flatMap((name) => partLockForm.exec(name)?.[1] ?? []);
  for (const part of parts) takePart(path, part).release();
}

function inUse(path: string): DataDirectoryError {
  return new DataDirectoryError(
    `The data directory ${path} is in use by another running Hostledger: stop that one, or choose another directory.`,
  );
}

function openDirectory(path: string): string {
  return guarded(path, () => {
    createDirectory(path);
    // A read-only disk is told here in the system's words; SQLite would only say that it cannot open the lock.
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK);
    const absolute = realpathSync(path);
    refuseWritableByOthers(absolute);
    return absolute;
  });
}

/**
 * Whoever may write in a directory may put another file in the place of ours, whatever rights our files have.
 * @param path of a directory that is there.
 * @throws DataDirectoryError its group or everybody may write there.
 */
export function refuseWritableByOthers(path: string): void {
  if ((statSync(path).mode & 0o022) === 0) return;
  throw new DataDirectoryError(
    `Others than its owner may write in the data directory ${path}: make sure that nothing there was changed, and set its mode to 0700.`,
  );
}

function createDirectory(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) return;
  try {
    // One level at a time: Node's recursive form never returns where the file system invents ENOENT, as /proc does.
    createDirectory(dirname(resolve(path)));
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    // Node says ENOENT when it may not create the directory; the one that would hold it knows why.
    let parent = dirname(resolve(path));
    while (!existsSync(parent)) parent = dirname(parent);
    accessSync(parent, constants.W_OK);
    throw error;
  }
}

function refuseForeign(path: string, brought: readonly string[] = []): void {
  const marker = join(path, markerName);
  const names = guarded(path, () => readdirSync(path));
  if (!names.includes(markerName)) {
    const foreign = names.find((name) => !harmlessNames.has(name) && !brought.includes(name));
    if (foreign === undefined) return;
    const own = names.find((name) => ownNames.has(name));
    if (own !== undefined)
      throw new DataDirectoryError(
        `The directory ${path} holds Hostledger's ${own}, but the file ${markerName} is missing: restore it from a backup, or write ${markerText} into it.`,
      );
    throw new DataDirectoryError(
      `The directory ${path} holds files that are not Hostledger's (${foreign}): choose an empty or a new one.`,
    );
  }
  const found = formatOf(guarded(path, () => readFileSync(marker, "utf8")));
  if (found === format) return;
  throw new DataDirectoryError(
    found === undefined
      ? `The file ${marker} is damaged: restore it from a backup, or choose another directory.`
      : `The data directory ${path} was written by another version of Hostledger (format ${String(found)}; this one reads ${String(format)}).`,
  );
}

function formatOf(marker: string): number | undefined {
  try {
    const value: unknown = JSON.parse(marker);
    if (typeof value !== "object" || value === null || !("format" in value)) return undefined;
    return typeof value.format === "number" ? value.format : undefined;
  } catch {
    return undefined;
  }
}

/** Shows that the directory can be written by writing to it: no other check holds for every kind of disk. */
function prepare(path: string): void {
  const marker = join(path, markerName);
  if (!existsSync(marker)) {
    writeFileAtomically(marker, `${markerText}\n`, 0o600);
    return;
  }
  const probe = join(path, "writable.probe");
  writeFileAtomically(probe, "x".repeat(4_096), 0o600);
  rmSync(probe);
}

/**
 * Reads a secret of the data directory, or makes it: never half written, readable by its owner only, and one alone, however many
 * processes make it at once.
 *
 * @param make called when there is no such file.
 * @throws DataDirectoryError the file is empty, or cannot be read or written.
 */
export function secretFile(path: string, make: () => string): string {
  return guarded(path, () => {
    if (!existsSync(path)) createFileAtomically(path, `${make()}\n`, 0o600);
    if ((statSync(path).mode & 0o077) !== 0) {
      throw new DataDirectoryError(
        `Other users can read the secret in ${path}: make a new one, or set its mode to 0600.`,
      );
    }
    const secret = readFileSync(path, "utf8").trim();
    if (secret === "")
      throw new DataDirectoryError(`The file ${path} is empty: restore it from a backup, or remove it.`);
    return secret;
  });
}

const sentences = new Map<string, (path: string) => string>([
  ["EROFS", (path) => `The disk that holds ${path} is read-only.`],
  ["EACCES", (path) => `This user may not read and write ${path}.`],
  ["EPERM", (path) => `This user may not read and write ${path}.`],
  ["ENOSPC", (path) => `The disk that holds ${path} is full.`],
  ["EDQUOT", (path) => `The disk quota that ${path} counts towards is used up.`],
  ["ENOTDIR", (path) => `${path} is not a directory.`],
  ["EEXIST", (path) => `${path} is not a directory.`],
]);

/** Turns what the system says into a sentence. */
function guarded<T>(path: string, act: () => T): T {
  try {
    return act();
  } catch (error) {
    if (error instanceof DataDirectoryError) throw error;
    throw new DataDirectoryError(dataDirectorySentence(path, error), { cause: error });
  }
}

/** What to tell a person about a failed use of a path. */
export function dataDirectorySentence(path: string, error: unknown): string {
  const reason = error instanceof Error ? error.message : String(error);
  return sentences.get(systemCodeOf(error))?.(path) ?? `${path} cannot be used: ${reason}.`;
}
