import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { errorCodeOf, writeFileAtomically } from "@hostledger/runtime";
import { z } from "zod";

import { BackupError } from "./backup-error.ts";

/** The file of a set that says where its last restore continues. It is not part of the backup, so the manifest does not list it. */
export const restoredName = "restored.json";

const stored = z.record(z.string(), z.int().positive());

/**
 * Reads where ids and the series of documents continued after the last restore of a set. Ids that were given out since
 * then are in no event of the set.
 * @throws BackupError if the file was changed
 */
export async function earlierRestores(set: string): Promise<ReadonlyMap<string, number>> {
  const path = join(set, restoredName);
  if (!existsSync(path)) return new Map();
  try {
    return new Map(Object.entries(stored.parse(JSON.parse(await readFile(path, "utf8")))));
  } catch (error) {
    throw new BackupError(
      `${path} was changed. It says where ids continued after the last restore: remove it, and name the highest id with --above.`,
      { cause: error },
    );
  }
}

/**
 * Records in the set where a restore continues.
 * @returns a sentence for the operator if the set cannot be written; undefined otherwise.
 */
export function recordRestore(set: string, ends: ReadonlyMap<string, number>): string | undefined {
  const path = join(set, restoredName);
  try {
    writeFileAtomically(path, `${JSON.stringify(Object.fromEntries(ends))}\n`, 0o600);
    return undefined;
  } catch (error) {
    const code = errorCodeOf(error);
    if (code === undefined) throw error;
    return `The set does not record this restore, because ${path} cannot be written (${code}). A second restore of this set would begin the same series of documents: make a new backup before.`;
  }
}
