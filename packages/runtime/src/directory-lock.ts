import { DatabaseSync } from "node:sqlite";

import { isBusy } from "./sqlite-code.ts";
import { whileBusy } from "./sqlite-waiting.ts";

/** A lock that this process holds. */
export interface DirectoryLock {
  /** Lets go of it. */
  release(): void;
}

/**
 * Locks a file for the life of this process. Node has no call for the kernel's file locks, SQLite has: an exclusive
 * transaction, never finished, in a database that stays empty. The kernel lets go of the lock when the process dies, so
 * unlike a file with a process id it is never left behind.
 *
 * Nothing else in this process may open the file: closing it would end the lock (POSIX `fcntl`).
 *
 * @param waitMs how long to wait for another holder to let go of it.
 * @returns undefined when another process, or another part of this one, holds the lock.
 * @throws when the file cannot be created or written.
 */
export function holdLock(path: string, waitMs = 0): DirectoryLock | undefined {
  const database = new DatabaseSync(path, { timeout: waitMs });
  try {
    whileBusy(waitMs, () => {
      database.exec("BEGIN EXCLUSIVE");
    });
  } catch (error) {
    database.close();
    if (isBusy(error)) return undefined;
    throw error;
  }
  return {
    release() {
      if (database.isOpen) database.close();
    },
  };
}
