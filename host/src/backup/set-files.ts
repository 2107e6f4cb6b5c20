import { createHash } from "node:crypto";
import { createReadStream, existsSync } from "node:fs";
import { mkdir, open, readdir, readFile, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { pipeline } from "node:stream/promises";

import { syncFolder } from "@hostledger/runtime";

import { dataFiles } from "../data-files.ts";
import { BackupError } from "./backup-error.ts";
import { manifestName, parseManifest, type Manifest, type SetFile } from "./manifest.codec.ts";

/** Folder of one run in a set; no later run writes to it. */
export const runFolder = /^\d{6}$/;

/** Names of the files with a process's secrets, as in a data directory. */
export const secretNames = ["admin.token", "demo.json"] as const;

/** Databases that are copied whole each time: keys of personal data, and data of the simulated providers. */
export const wholeDatabases = [dataFiles.subjectKeys, dataFiles.sandbox] as const;

/** Reads the manifest of a set. @returns undefined if there is none. @throws BackupError */
export async function readManifest(set: string): Promise<Manifest | undefined> {
  const path = join(set, manifestName);
  return existsSync(path) ? parseManifest(await readFile(path, "utf8"), path) : undefined;
}

/** Names in a directory; none where there is no such directory. */
export async function namesIn(directory: string): Promise<readonly string[]> {
  return existsSync(directory) ? readdir(directory) : [];
}

/** Copies a database that may be in use, as of one moment. */
export function copyDatabase(from: string, to: string): void {
  const database = new DatabaseSync(from, { readOnly: true, timeout: busyTimeoutMs });
  try {
    database.prepare("VACUUM INTO ?").run(to);
  } finally {
    database.close();
  }
}

/** Maximum wait for short locks of a writer, in milliseconds. */
const busyTimeoutMs = 5_000;

/** Writes a file that only its owner reads, and the folders it is in. */
export async function writePrivate(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const file = await open(path, "wx", 0o600);
  try {
    await file.writeFile(text);
  } finally {
    await file.close();
  }
}

/** Syncs a file and its name, restricts its permissions to the owner, and returns its description. */
export async function sealFile(set: string, path: string): Promise<SetFile> {
  const file = await open(join(set, path), "r+");
  try {
    await file.chmod(0o600);
    await file.sync();
  } finally {
    await file.close();
  }
  await syncFolder(dirname(join(set, path)));
  return { path, ...(await contentOf(join(set, path))) };
}

/** @throws BackupError a file is missing, or is not the one that was written */
export async function verifyFiles(set: string, files: readonly SetFile[]): Promise<void> {
  for (const { path, bytes, sha256 } of files) {
    const at = join(set, path);
    if (!existsSync(at)) throw new BackupError(`${at} is missing: the backup is not whole.`);
    const found = await contentOf(at);
    if (found.bytes !== bytes || found.sha256 !== sha256)
      throw new BackupError(
        `${at} is not as the backup wrote it: it was changed, or belongs to another backup.`,
      );
  }
}

/** Removes a folder or file; succeeds if there is none. */
export async function discard(path: string): Promise<void> {
  await rm(path, { recursive: true, force: true });
}

async function contentOf(path: string): Promise<{ bytes: number; sha256: string }> {
  const hash = createHash("sha256");
  const file = createReadStream(path, { highWaterMark: 1_048_576 });
  await pipeline(file, hash);
  return { bytes: file.bytesRead, sha256: hash.digest("hex") };
}
