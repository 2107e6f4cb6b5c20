import { randomUUID } from "node:crypto";
import { closeSync, fsyncSync, linkSync, openSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

import { errorCodeOf } from "./error-code.ts";

/** A file that is written beside its place, and takes it when it is whole. */
export interface GrowingFile {
  readonly descriptor: number;
  /** Puts it in its place, for whatever happens to the machine from now on. */
  settle(): void;
  /** Leaves what was in its place as it was. */
  discard(): void;
}

/** Begins a file. One process writes a path at a time. @param mode permissions, also when the file was there with others. */
export function growFile(path: string, mode: number): GrowingFile {
  const growing = `${path}.new`;
  // A leftover of a killed process may have other permissions: they must never hold the new content.
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

/**
 * Replaces a file so that, whenever the machine stops, either the old or the new content is there, whole.
 *
 * @param mode permissions, also when the file was there with others.
 */
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

/**
 * Makes a file that is not there yet, whole. Of several processes that do so at once, one makes it; the others' content is nowhere.
 *
 * @param mode permissions.
 */
export function createFileAtomically(path: string, content: string, mode: number): void {
  const growing = `${path}.${randomUUID()}.new`;
  try {
    writeFileSync(growing, content, { mode, flag: "wx", flush: true });
    try {
      linkSync(growing, path);
    } catch (error) {
      // Not every file system has a second name for a file: there the last one's stays.
      if (errorCodeOf(error) !== "EEXIST") renameSync(growing, path);
    }
  } finally {
    rmSync(growing, { force: true });
  }
  syncDirectory(dirname(path));
}

/** Makes the new name itself survive a power cut. */
function syncDirectory(path: string): void {
  const directory = openSync(path, "r");
  try {
    fsyncSync(directory);
  } finally {
    closeSync(directory);
  }
}
