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
import { isDamaged, systemCodeOf } from "./sqlite-code.ts";

/** Thrown if a directory cannot hold our data; the message is a sentence for the operator. */
export class DataDirectoryError extends Error {
  override readonly name = "DataDirectoryError";
}

/** A data directory held by this process until released or until the process ends. */
export interface DataDirectory {
  /** Absolute path with symbolic links resolved. */
  readonly path: string;
  file(name: string): string;
  /** Releases the directory for other processes. */
  release(): void;
}

const markerName = "hostledger.json";
const lockName = "lock.sqlite";
const partLockForm = /^lock-([a-z]+)\.sqlite$/;
const partLockName = (part: string): string => `lock-${part}.sqlite`;
const format = 1;

const markerText = JSON.stringify({ program: "hostledger", format });

/** Names that identify a directory of ours without its marker. */
const ownNames = new Set(["events.sqlite", "admin.token", "audit", "read-models", "scrub.json", "tile"]);

/** Names permitted in a directory without marker, from a killed first start, a new disk, or an operator. */
const harmlessNames = new Set([
  lockName,
  `${lockName}-journal`,
  `${markerName}.new`,
  "lost+found",
  "subject-keys.sqlite",
  "service-keys",
]);

/**
 * Claims a directory for this process alone; creates it with mode 0700 if missing. The directory must contain our
 * marker file or be empty. The kernel's lock ends with the process in any case.
 *
 * @param brought names of files permitted without the marker, for example from a backup.
 * @throws DataDirectoryError if it belongs to something else, is in use, not writable, or writable by others.
 */
export function claimDataDirectory(path: string, brought: readonly string[] = []): DataDirectory {
  const absolute = openDirectory(path);
  refuseForeign(absolute, brought);
  const lock = guarded(absolute, () => lockFile(absolute, lockName));
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

/** Milliseconds for which a part waits for others that start at the same time. */
const turnWaitMs = 2_000;

/**
 * Opens a directory shared by several parts of a deployment, and claims the data of one `part` in it, such as its read
 * models. Without a part nothing is claimed, and any number of processes may open it.
 *
 * @throws DataDirectoryError if it belongs to something else, another process holds it or the part, or it is not
 * writable or writable by others.
 */
export function shareDataDirectory(path: string, part?: string): DataDirectory {
  const absolute = openDirectory(path);
  refuseForeign(absolute);
  // Parts open the directory one at a time; a process that holds the whole directory excludes them.
  const turn = guarded(absolute, () => lockFile(absolute, lockName, turnWaitMs));
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
 * Opens a directory beside processes that hold it, for files that processes share. Creates and marks it if necessary.
 *
 * @throws DataDirectoryError if it belongs to something else, is not writable, or is writable by others.
 */
export function joinDataDirectory(path: string): DataDirectory {
  const absolute = openDirectory(path);
  if (!existsSync(join(absolute, markerName))) return shareDataDirectory(absolute);
  refuseForeign(absolute);
  return { path: absolute, file: (name) => join(absolute, name), release: () => undefined };
}

/** Locks a file of the directory. A damaged file is refused: replacing it would let a second process in beside its holder. */
function lockFile(directory: string, name: string, waitMs = 0): DirectoryLock | undefined {
  const path = join(directory, name);
  try {
    return holdLock(path, waitMs);
  } catch (error) {
    if (!isDamaged(error)) throw error;
    throw new DataDirectoryError(
      `The lock file ${path} is damaged: make sure that no Hostledger uses ${directory}, then remove the file.`,
      { cause: error },
    );
  }
}

function takePart(path: string, part: string): DirectoryLock {
  const lock = guarded(path, () => lockFile(path, partLockName(part)));
  if (lock !== undefined) return lock;
  throw new DataDirectoryError(
    `The ${part} part of the data directory ${path} is in use by another running Hostledger: stop that one, or choose another directory.`,
  );
}

/** Refuses to claim the whole directory while another process holds a part. */
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
    // Detects a read-only disk here; SQLite would only report that it cannot open the lock.
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK);
    const absolute = realpathSync(path);
    refuseWritableByOthers(absolute);
    return absolute;
  });
}

/** Refuses a directory in which others could replace our files. @throws DataDirectoryError */
export function refuseWritableByOthers(path: string): void {
  if ((statSync(path).mode & 0o022) === 0) return;
  throw new DataDirectoryError(
    `Others than its owner may write in the data directory ${path}: make sure that nothing there was changed, and set its mode to 0700.`,
  );
}

function createDirectory(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) return;
  try {
    // One level at a time, because Node's recursive mkdir never returns on file systems such as /proc.
    createDirectory(dirname(resolve(path)));
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    // Node reports ENOENT if it may not create the directory; the existing parent shows the real reason.
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

/** Tests that the directory is writable by writing, the only reliable check. */
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
 * Reads a secret of the data directory, or creates it: atomically, readable by its owner only, and once even if several
 * processes create it.
 *
 * @param make called if the file is missing.
 * @throws DataDirectoryError if the file is empty, or cannot be read or written.
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
  ["EDQUOT", (path) => `The disk quota of ${path} is used up.`],
  ["ENOTDIR", (path) => `${path} is not a directory.`],
  ["EEXIST", (path) => `${path} is not a directory.`],
]);

function guarded<T>(path: string, act: () => T): T {
  try {
    return act();
  } catch (error) {
    if (error instanceof DataDirectoryError) throw error;
    throw new DataDirectoryError(dataDirectorySentence(path, error), { cause: error });
  }
}

/** Returns the operator's sentence for a failed access to a path. */
export function dataDirectorySentence(path: string, error: unknown): string {
  const reason = error instanceof Error ? error.message : String(error);
  return sentences.get(systemCodeOf(error))?.(path) ?? `${path} cannot be used: ${reason}.`;
}
