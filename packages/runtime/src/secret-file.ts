import { closeSync, openSync, readSync } from "node:fs";

import { fileReason } from "./error-code.ts";

/** Suffix of the variable that names a file with a secret. */
export const secretFileSuffix = "_FILE";

/** Maximum bytes of a secret; a PEM key with its chain has a few thousand. */
const longestSecret = 65_536;

/**
 * Reads a secret from a file, which hides it from process lists and crash reports. One final line end is removed,
 * because editors and `echo` add it.
 * @returns the secret, or the reason for its absence as the end of a sentence.
 */
export function readSecretFile(path: string): { readonly value: string } | { readonly objection: string } {
  const bytes = Buffer.alloc(longestSecret + 1);
  let length: number;
  try {
    const file = openSync(path, "r");
    try {
      length = readSync(file, bytes, 0, bytes.length, 0);
    } finally {
      closeSync(file);
    }
  } catch (error) {
    return { objection: `names a file that cannot be read: ${fileReason(error)}` };
  }
  if (length > longestSecret)
    return { objection: `names a file of more than ${String(longestSecret)} octets, which is no secret` };
  const value = bytes.toString("utf8", 0, length).replace(/\r?\n$/, "");
  return value === "" ? { objection: "names a file that is empty" } : { value };
}
