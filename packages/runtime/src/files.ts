import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

/**
 * Replaces a file so that, whenever the machine stops, either the old or the new content is there, whole. One process
 * writes a path at a time: the new content grows in a file of a fixed name beside it.
 *
 * @param mode permissions, also when the file was there with others.
 */
export function writeFileAtomically(path: string, content: string, mode: number): void {
  const growing = `${path}.new`;
  // A leftover of a killed process may have other permissions: they must never hold the new content.
  rmSync(growing, { force: true });
  const file = openSync(growing, "wx", mode);
  try {
    writeFileSync(file, content);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(growing, path);
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
