import { mkdir, open, readdir, readFile, rename, rm, stat, type FileHandle } from "node:fs/promises";
import { dirname, join } from "node:path";

import { errorCodeOf, syncFolder } from "@hostledger/runtime";

/**
 * The files of the log, by their path below its directory. Every change goes through this interface, so that tests can
 * stop each.
 */
export interface LogFiles {
  /**
   * Writes and syncs a file; `syncNames` makes its name durable. On a full disk the old content stays, because a
   * checkpoint may depend on it.
   */
  write(path: string, bytes: Uint8Array): Promise<void>;
  /** Writes pieces of a file in place and syncs it; creates the file if missing. */
  patch(path: string, pieces: readonly FilePiece[]): Promise<void>;
  /** Makes the names of written files durable. */
  syncNames(paths: readonly string[]): Promise<void>;
  /** Replaces a file atomically: after a crash it has the whole old or the whole new content. */
  replace(path: string, content: string, mode: number): Promise<void>;
  /** Removes a file or directory, if it exists. */
  remove(path: string): Promise<void>;
  /** Returns the content; undefined if there is no such file. */
  read(path: string): Promise<Uint8Array | undefined>;
  /** Returns some bytes of a file: fewer at its end, none if it is missing. */
  readRange(path: string, offset: number, length: number): Promise<Uint8Array>;
  /** Returns the time of the last write in milliseconds since 1970; undefined if there is no such file. */
  modifiedMs(path: string): Promise<number | undefined>;
  /** Names in a directory; none if it does not exist. */
  list(path: string): Promise<readonly string[]>;
}

/** Bytes and their offset in the file. */
export interface FilePiece {
  readonly offset: number;
  readonly bytes: Uint8Array;
}

const fileMode = 0o644;

/** The log's files on disk. @param directory absolute path */
export function logFiles(directory: string): LogFiles {
  const at = (path: string): string => join(directory, path);
  return {
    write: (path, bytes) => putInPlace(at(path), "w", fileMode, bytes),
    async patch(path, pieces) {
      // "r+" does not create a file and "w" empties one.
      const flags = (await exists(at(path))) ? "r+" : "w";
      await withFile(at(path), flags, fileMode, async (file) => {
        for (const { offset, bytes } of pieces) await file.write(bytes, 0, bytes.length, offset);
        await file.datasync();
      });
    },
    async syncNames(paths) {
      for (const folder of foldersOf(paths)) await syncFolder(at(folder));
    },
    async replace(path, content, mode) {
      // A leftover of a killed process may have other permissions, which the new content must not get.
      await rm(growingOf(at(path)), { force: true });
      await putInPlace(at(path), "wx", mode, content);
      await syncFolder(dirname(at(path)));
    },
    remove: (path) => rm(at(path), { recursive: true, force: true }),
    read: (path) => missingAs(undefined, () => readFile(at(path))),
    readRange: (path, offset, length) =>
      missingAs(new Uint8Array(), async () => {
        const file = await open(at(path), "r");
        try {
          const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, offset);
          return buffer.subarray(0, bytesRead);
        } finally {
          await file.close();
        }
      }),
    modifiedMs: (path) => missingAs(undefined, async () => (await stat(at(path))).mtimeMs),
    list: (path) => missingAs([], () => readdir(at(path))),
  };
}

/** Returns the temporary name for a new content until it is complete and synced. */
function growingOf(path: string): string {
  return `${path}.new`;
}

async function putInPlace(
  path: string,
  flags: "w" | "wx",
  mode: number,
  content: string | Uint8Array,
): Promise<void> {
  await withFile(growingOf(path), flags, mode, async (file) => {
    await file.writeFile(content);
    await file.sync();
  });
  await rename(growingOf(path), path);
}

async function withFile(
  path: string,
  flags: string,
  mode: number,
  act: (file: FileHandle) => Promise<void>,
): Promise<void> {
  const file = await opened(path, flags, mode);
  try {
    await act(file);
  } finally {
    await file.close();
  }
}

/** Creates the folder only if opening fails, because most folders exist. */
async function opened(path: string, flags: string, mode: number): Promise<FileHandle> {
  try {
    return await open(path, flags, mode);
  } catch (error) {
    if (!isMissing(error)) throw error;
    await mkdir(dirname(path), { recursive: true, mode: 0o755 });
    return open(path, flags, mode);
  }
}

/** Returns the folders of files and their parents, which may be new as well; the deepest first. */
function foldersOf(paths: readonly string[]): readonly string[] {
  const folders = new Set<string>();
  for (const path of paths)
    for (let folder = dirname(path); !folders.has(folder); folder = dirname(folder)) folders.add(folder);
  return [...folders].sort((a, b) => b.length - a.length);
}

async function exists(path: string): Promise<boolean> {
  return missingAs(false, async () => {
    await (await open(path, "r")).close();
    return true;
  });
}

async function missingAs<T>(otherwise: T, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    if (isMissing(error)) return otherwise;
    throw error;
  }
}

function isMissing(error: unknown): boolean {
  return errorCodeOf(error) === "ENOENT";
}
