import { DatabaseSync } from "node:sqlite";

import { isBusy } from "./sqlite-code.ts";
import { whileBusy } from "./sqlite-waiting.ts";

/** A lock held by this process. */
export interface DirectoryLock {
  release(): void;
}

/**
 * Locks a file for the life of this process. Node lacks the kernel's file locks, but SQLite has them: an unfinished
 * exclusive transaction in an empty database. The kernel releases the lock when the process dies, so unlike a pid file
 * it never remains.
 *
 * Nothing else in this process may open the file, because closing it would release the lock (POSIX `fcntl`).
 *
 * @param waitMs milliseconds to wait for another holder.
 * @returns undefined if the lock is held, by another process or in this one.
 * @throws Error if the file cannot be created or written.
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
