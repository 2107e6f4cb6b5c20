import { writeFileSync } from "node:fs";

import { fileReason } from "../error-code.ts";
import { refused } from "../exit-code.ts";

/**
 * Writes a file that only its owner may read. An existing file stays as it is.
 * @param hint what to do instead, for the error
 * @throws CommandFailure (1) if the file exists or cannot be written
 */
export function writeNewFile(path: string, content: string | Uint8Array, hint = ""): void {
  try {
    writeFileSync(path, content, { flag: "wx", mode: 0o600 });
  } catch (error) {
    throw refused(`${path} could not be written: ${fileReason(error)}.${hint}`, error);
  }
}
