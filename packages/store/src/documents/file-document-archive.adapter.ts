import { randomUUID } from "node:crypto";
import { link, mkdir, open, readdir, readFile, rm, stat } from "node:fs/promises";
import { statSync } from "node:fs";
import { dirname, join } from "node:path";

import { TemporarilyUnavailableError } from "@hostledger/core";
import { errorCodeOf, syncFolder } from "@hostledger/runtime";

import { documentFormats, type DocumentArchive, type DocumentFileName } from "./document-archive.port.ts";

/** Documents in a folder, because file systems are slow with millions of files in one. */
const documentsPerFolder = 1_000;
/** Folder of files that are being written. A killed process leaves some, which the next one removes. */
const growingName = "growing";

export interface StoredDocument extends DocumentFileName {
  readonly path: string;
  readonly bytes: number;
  /** Milliseconds since 1970. */
  readonly modifiedMs: number;
}

/**
 * Opens the archive in a directory, for one process. The directory is made when the first file is stored. If it is gone later, for
 * example a volume that is not mounted, nothing is read or written until it is back: else files would be taken for lost, and
 * new ones would be in another place.
 * @param directory for example `DATA/documents`.
 */
export async function openFileDocuments(directory: string): Promise<DocumentArchive> {
  // The first stored file reports any obstacle: orders do not wait for the archive.
  await rm(join(directory, growingName), { recursive: true, force: true }).catch(() => undefined);
  const pathOf = (name: DocumentFileName): string => join(directory, documentPath(name));
  let wasThere = isDirectory(directory);
  const refuseIfGone = (): void => {
    const isThere = isDirectory(directory);
    if (wasThere && !isThere) throw gone(directory);
    wasThere = isThere;
  };
  return {
    get: (name) =>
      attempt(directory, "read", async () => {
        refuseIfGone();
        return await readIfThere(pathOf(name));
      }),
    put: (name, sealed) =>
      attempt(directory, "written", async () => {
        refuseIfGone();
        const path = pathOf(name);
        const stored = await readIfThere(path);
        if (stored !== undefined) return stored;
        const isOurs = await create(directory, path, sealed);
        wasThere = true;
        return isOurs ? sealed : await readFile(path);
      }),
    remove: (name, sealed) =>
      attempt(directory, "written", async () => {
        refuseIfGone();
        const path = pathOf(name);
        const stored = await readIfThere(path);
        if (stored === undefined || Buffer.compare(stored, sealed) !== 0) return;
        await rm(path, { force: true });
        await syncFolder(dirname(path));
      }),
    close: () => Promise.resolve(),
  };
}

/** Returns a file's path below the archive's directory, for example `000012/12345.pdf`. */
export function documentPath({ documentId, format }: DocumentFileName): string {
  const folder = String(Math.floor(documentId / documentsPerFolder)).padStart(6, "0");
  return join(folder, `${String(documentId)}.${format}`);
}

/** Lists the files of an archive by folder, for a backup. */
export async function* listDocuments(directory: string): AsyncGenerator<StoredDocument, void, undefined> {
  for (const folder of (await namesIn(directory)).filter((name) => /^\d{6,}$/u.test(name)))
    for (const name of await namesIn(join(directory, folder))) {
      const [, id, extension] = /^([1-9]\d{0,14})\.([a-z]+)$/u.exec(name) ?? [];
      const format = documentFormats.find((one) => one === extension);
      if (id === undefined || format === undefined) continue;
      const path = join(directory, folder, name);
      const { size: bytes, mtimeMs: modifiedMs } = await stat(path);
      yield { documentId: Number(id), format, path, bytes, modifiedMs };
    }
}

/** Creates a missing file with its folders. @returns false if another writer was first */
async function create(directory: string, path: string, content: Uint8Array): Promise<boolean> {
  const growing = join(directory, growingName, randomUUID());
  await mkdir(dirname(growing), { recursive: true, mode: 0o700 });
  await makeFolder(directory, dirname(path));
  try {
    const file = await open(growing, "wx", 0o600);
    try {
      await file.writeFile(content);
      await file.sync();
    } finally {
      await file.close();
    }
    await link(growing, path);
  } catch (error) {
    if (errorCodeOf(error) === "EEXIST") return false;
    throw error;
  } finally {
    await rm(growing, { force: true });
  }
  await syncFolder(dirname(path));
  return true;
}

/** Creates a folder of the archive, whose name survives a power cut. */
async function makeFolder(directory: string, folder: string): Promise<void> {
  if ((await mkdir(folder, { recursive: true, mode: 0o700 })) === undefined) return;
  await syncFolder(directory);
  await syncFolder(dirname(directory));
}

async function readIfThere(path: string): Promise<Uint8Array | undefined> {
  try {
    return await readFile(path);
  } catch (error) {
    if (errorCodeOf(error) === "ENOENT") return undefined;
    throw error;
  }
}

/** Returns sorted names; none where there is no such directory. */
async function namesIn(directory: string): Promise<readonly string[]> {
  try {
    return (await readdir(directory)).sort();
  } catch (error) {
    if (errorCodeOf(error) === "ENOENT") return [];
    throw error;
  }
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

function gone(directory: string): TemporarilyUnavailableError {
  return new TemporarilyUnavailableError(
    `the archive of documents in ${directory} is gone: mount its volume, or restore the directory from a backup`,
  );
}

/** @throws TemporarilyUnavailableError if the file system refuses. */
async function attempt<Result>(
  directory: string,
  verb: "read" | "written",
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    const code = errorCodeOf(error);
    if (code === undefined) throw error;
    throw new TemporarilyUnavailableError(
      `the archive of documents in ${directory} cannot be ${verb} (${code})`,
      { cause: error },
    );
  }
}
