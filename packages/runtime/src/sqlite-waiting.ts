import type { DatabaseSync } from "node:sqlite";

import { blockThread, monotonicMilliseconds } from "./async/timing.ts";
import { sqliteCodeOf, sqliteCodes } from "./sqlite-code.ts";

/**
 * Executes a statement that may have to wait for another process, and blocks the thread meanwhile. SQLite does not always wait by
 * itself: to switch to a write-ahead log it does not, and else it counts its own naps, which every signal ends (a profiler sends
 * thousands a second). What counts here is the clock.
 *
 * @param waitMs as long as the database waits by itself (`timeout`).
 * @throws Error of SQLite's; `sqliteCodes.busy` where another process has had the file all that time.
 */
export function execWaiting(database: DatabaseSync, statement: string, waitMs: number): void {
  const giveUpAtMs = monotonicMilliseconds() + waitMs;
  for (;;) {
    try {
      database.exec(statement);
      return;
    } catch (error) {
      if (sqliteCodeOf(error) !== sqliteCodes.busy || monotonicMilliseconds() >= giveUpAtMs) throw error;
      blockThread(1);
    }
  }
}
