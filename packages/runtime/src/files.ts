import { randomUUID } from "node:crypto";
import { closeSync, fsyncSync, linkSync, openSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { open } from "node:fs/promises";
import { dirname } from "node:path";

import { errorCodeOf } from "./error-code.ts";

/** A file in progress that replaces its target when complete. */
export interface GrowingFile {
  readonly descriptor: number;
  /** Syncs the file and moves it to its target. */
  settle(): void;
  /** Deletes the file; the target stays unchanged. */
  discard(): void;
}

/** Begins a file; one process at a time per path. @param mode permissions, replacing those of an existing file */
export function growFile(path: string, mode: number): GrowingFile {
  const growing = `${path}.new`;
  // Removes the remains of a killed process, whose permissions may be wrong.
  rmSync(growing, { force: true });
  const descriptor = openSync(growing, "wx", mode);
  return {
    descriptor,
    settle() {
      try {
        fsyncSync(descriptor);
      } finally {
        closeSync(descriptor);
      }
      renameSync(growing, path);
      syncDirectory(dirname(path));
    },
    discard() {
      closeSync(descriptor);
      rmSync(growing, { force: true });
    },
  };
}

/** Replaces a file; after a crash the old or the new content is complete. @param mode its permissions */
export function writeFileAtomically(path: string, content: string, mode: number): void {
  const growing = growFile(path, mode);
  try {
    writeFileSync(growing.descriptor, content);
  } catch (error) {
    growing.discard();
    throw error;
  }
  growing.settle();
}

/** Creates a missing file atomically; of several processes one succeeds. @param mode its permissions */
export function createFileAtomically(path: string, content: string, mode: number): void {
  const growing = `${path}.${randomUUID()}.new`;
  try {
    writeFileSync(growing, content, { mode, flag: "wx", flush: true });
    try {
      linkSync(growing, path);
    } catch (error) {
      // Without hard links the last process's file remains.
      if (errorCodeOf(error) !== "EEXIST") renameSync(growing, path);
    }
  } finally {
    rmSync(growing, { force: true });
  }
  syncDirectory(dirname(path));
}

/** Syncs the directory, so that the new name survives a power cut. */
function syncDirectory(path: string): void {
  const directory = openSync(path, "r");
  try {
    fsyncSync(directory);
  } finally {
    closeSync(directory);
  }
}

/** Syncs a folder, so that the names in it survive a power cut. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
