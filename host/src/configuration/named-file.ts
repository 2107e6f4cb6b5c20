import { readFileSync } from "node:fs";

import { ConfigurationError } from "@hostledger/runtime";
import { fileReason } from "@hostledger/runtime/error-code";

/** Reads the text of a file that a setting names. @throws ConfigurationError it cannot be read. */
export function readNamedFile(setting: string, file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new ConfigurationError([`${setting} names a file that cannot be read: ${fileReason(error)}.`]);
  }
}
