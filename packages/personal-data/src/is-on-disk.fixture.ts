import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Returns true if a file of the folder contains these bytes. */
export function isOnDisk(directory: string, bytes: Uint8Array | string): boolean {
  return readdirSync(directory).some((file) => readFileSync(join(directory, file)).includes(bytes));
}
