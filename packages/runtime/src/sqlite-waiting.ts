import { Backoff, retry } from "./async/backoff.ts";
import { blockThread, monotonicMilliseconds, realTiming } from "./async/timing.ts";
import { isBusy } from "./sqlite-code.ts";

/**
 * Does something with a database that may have to wait for another process, and blocks the thread meanwhile. SQLite does not always
 * wait by itself: to switch to a write-ahead log it does not, and else it counts its own naps, which every signal ends (a profiler
 * sends thousands a second). What counts here is the clock.
 *
 * @param waitMs in all, what the database waits by itself (`timeout`) included.
 * @param work done again from its beginning, where the file was busy.
 * @throws Error of SQLite's; `sqliteCodes.busy` where another process has had the file all that time.
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

/** The same with a database that does not wait by itself (`timeout: 0`), while the thread does other things. */
export function untilFree<Result>(waitMs: number, work: () => Result, timing = realTiming): Promise<Result> {
  const backoff = new Backoff({ firstMs: 1, longestMs: 20, overallMs: waitMs }, timing);
  return retry(() => Promise.try(work), { backoff, mayPass: isBusy });
}
