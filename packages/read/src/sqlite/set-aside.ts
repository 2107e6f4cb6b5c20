import { existsSync, renameSync, rmSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";

import { isDamaged, type Logger } from "@hostledger/runtime";

import { messageOf } from "../errors.ts";

/** Endings of a database's file names. */
const parts = ["", "-wal", "-shm"];

/** Ending of a damaged file's name. A later damaged file of the read model replaces the earlier one. */
const asideEnding = ".damaged";

/** Renames a damaged read-model file, so that the process can start and rebuild the tables from the events. */
export function setDamagedAside(path: string, logger: Pick<Logger, "error"> | undefined): void {
  const damage = existsSync(path) ? damageIn(path) : undefined;
  if (damage === undefined) return;
  const aside = `${path}${asideEnding}`;
  for (const part of parts) {
    rmSync(`${aside}${part}`, { force: true });
    if (existsSync(`${path}${part}`)) renameSync(`${path}${part}`, `${aside}${part}`);
  }
  logger?.error({ path, aside, damage }, "a damaged read-model file was set aside, and is built anew");
}

/** Returns SQLite's report about damaged pages; undefined if there is none, or if the file cannot be opened at all. */
function damageIn(path: string): string | undefined {
  try {
    const file = new DatabaseSync(path);
    try {
      const { quick_check: found } = file.prepare("PRAGMA quick_check(1)").get() ?? {};
      return found === "ok" ? undefined : String(found);
    } finally {
      file.close();
    }
  } catch (error) {
    return isDamaged(error) ? messageOf(error) : undefined;
  }
}
