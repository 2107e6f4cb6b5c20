import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

export function isOnDisk(directory: string, bytes: Uint8Array | string): boolean {
  return readdirSync(directory).some((file) => readFileSync(join(directory, file)).includes(bytes));
}
