/** Tolerance against the newest event, the monotonic clock and the database's clock: 5 minutes, in milliseconds. */
export const clockToleranceMs = 5 * 60_000;

/** Returns true if two differences in milliseconds are equal within the tolerance. */
export function isSameDifference(one: number, other: number): boolean {
  return Math.abs(one - other) <= clockToleranceMs;
}
