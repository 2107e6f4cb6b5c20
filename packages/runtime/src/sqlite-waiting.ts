import { Backoff, retry } from "./async/backoff.ts";
import { blockThread, monotonicMilliseconds, realTiming } from "./async/timing.ts";
import { isBusy } from "./sqlite-code.ts";

/**
 * Retries database work while another process holds the file, blocking the thread. SQLite's own waiting is
 * insufficient: it does not wait when switching to a write-ahead log, and signals shorten its waits, thousands a second
 * under a profiler. This function measures time instead.
 *
 * @param waitMs total wait, including the database's own `timeout`.
 * @param work repeated from its beginning if the file was busy.
 * @throws SQLite's error; `sqliteCodes.busy` if another process held the file all the time.
 */
export function whileBusy<Result>(waitMs: number, work: () => Result): Result {
  const giveUpAtMs = monotonicMilliseconds() + waitMs;
  for (;;) {
    try {
      return work();
    } catch (error) {
      if (!isBusy(error) || monotonicMilliseconds() >= giveUpAtMs) throw error;
      blockThread(1);
    }
  }
}

/** Retries work with a database opened with `timeout: 0`, without blocking the thread. */
export function untilFree<Result>(waitMs: number, work: () => Result, timing = realTiming): Promise<Result> {
  const backoff = new Backoff({ firstMs: 1, longestMs: 20, overallMs: waitMs }, timing);
  return retry(() => Promise.try(work), { backoff, mayPass: isBusy });
}
