import { existsSync, renameSync, rmSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";

import { sqliteCodeOf, sqliteCodes, type Logger } from "@hostledger/runtime";

import { messageOf } from "../errors.ts";

/** Files of a database, by what their names end with. */
const parts = ["", "-wal", "-shm"];

/** What the name of a damaged file ends with; one is kept of each read-model file. */
const asideEnding = ".damaged";

/**
 * Moves a damaged read-model file out of the way, so that its tables are built anew from the events: one unreadable page must not
 * keep a process from starting.
 */
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

/** What SQLite finds wrong with the pages of a file; undefined where nothing is, or where the file cannot be opened at all. */
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
    const code = sqliteCodeOf(error);
    const isDamaged = code === sqliteCodes.corrupt || code === sqliteCodes.notADatabase;
    return isDamaged ? messageOf(error) : undefined;
  }
}
