/** How far a clock may be behind the newest fact, leave the monotonic clock, or differ from the database's: 5 minutes, in milliseconds. */
export const clockToleranceMs = 5 * 60_000;

/** Whether a clock that was ahead by so many milliseconds, and now is by so many, has gone on as it did. */
export function isSameDifference(one: number, other: number): boolean {
  return Math.abs(one - other) <= clockToleranceMs;
}
