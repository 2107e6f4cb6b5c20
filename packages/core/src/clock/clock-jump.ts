import { clockToleranceMs, isSameDifference } from "./clock-tolerance.ts";
import type { ClockState } from "./clock.decider.ts";
import type { ClockJump } from "./clock.events.ts";

/** Maximum lead of a clock over the newest event at a start: 30 days, in milliseconds. Staff must confirm a larger lead. */
export const longestRestMs = 30 * 86_400_000;

/** Times known at a start. Instants are ISO 8601 UTC with six fractional digits. */
export interface StartingClock {
  readonly clockAt: string;
  /** Time of the newest stored event; undefined before the first event. */
  readonly newestEventAt: string | undefined;
  /** True if an operator moved the clock ahead on purpose, which confirms a lead but never a lag. */
  readonly isMovedAhead: boolean;
}

export type NewClockJump = Omit<ClockJump, "jumpId">;

/** Returns the open jump that the clock still has; undefined if the clock was corrected. A restart confirms nothing. */
export function openJumpOf(
  { open }: Pick<ClockState, "open">,
  { clockAt, isMovedAhead }: Omit<StartingClock, "newestEventAt">,
): ClockJump | undefined {
  return open.findLast(({ direction, expectedAt, clockAt: jumpedTo, expectedBy }) => {
    // Each start compares the clock with the database's clock again.
    if (expectedBy === "database") return false;
    return direction === "behind"
      ? millisecondsBetween(clockAt, expectedAt) > clockToleranceMs
      : !isMovedAhead && millisecondsBetween(clockAt, jumpedTo) <= clockToleranceMs;
  });
}

/** Returns the lead of a clock over the expected time in milliseconds; negative if the clock is behind. */
export function differenceOf({ expectedAt, clockAt }: Pick<ClockJump, "expectedAt" | "clockAt">): number {
  return millisecondsBetween(expectedAt, clockAt);
}

/**
 * Compares a clock with the clock of the shared database. Returns undefined if they agree, or if staff confirmed this
 * difference. A restart returns the open jump with this difference instead of a new one.
 *
 * @param times `expectedAt` is the database's time, moved if an operator moved the process's clock ahead on purpose.
 */
export function jumpFromDatabase(
  { open, keptDifferences }: Pick<ClockState, "open" | "keptDifferences">,
  times: Pick<ClockJump, "expectedAt" | "clockAt">,
): ClockJump | NewClockJump | undefined {
  const difference = differenceOf(times);
  const isThis = (other: number): boolean => isSameDifference(difference, other);
  if (isThis(0) || keptDifferences.some(isThis)) return undefined;
  const known = open.findLast((jump) => jump.expectedBy === "database" && isThis(differenceOf(jump)));
  return known ?? { direction: difference < 0 ? "behind" : "ahead", ...times, expectedBy: "database" };
}

/** Compares the clock with the events at a start. Returns undefined if they agree or if staff confirmed this jump. */
export function jumpAtStart(
  { accepted }: Pick<ClockState, "accepted">,
  { clockAt, newestEventAt, isMovedAhead }: StartingClock,
): NewClockJump | undefined {
  if (newestEventAt === undefined) return undefined;
  const behindMs = millisecondsBetween(clockAt, newestEventAt);
  if (behindMs > clockToleranceMs) {
    const isAccepted =
      accepted?.direction === "behind" &&
      newestEventAt <= accepted.expectedAt &&
      millisecondsBetween(clockAt, accepted.clockAt) <= clockToleranceMs;
    return isAccepted
      ? undefined
      : { direction: "behind", expectedAt: newestEventAt, clockAt, expectedBy: "facts" };
  }
  if (isMovedAhead || -behindMs <= longestRestMs) return undefined;
  return { direction: "ahead", expectedAt: newestEventAt, clockAt, expectedBy: "facts" };
}

/**
 * Compares the clock with the monotonic clock while the process runs.
 *
 * @param expectedAt the present time according to the monotonic clock.
 */
export function jumpWhileRunning(expectedAt: string, clockAt: string): NewClockJump | undefined {
  const behindMs = millisecondsBetween(clockAt, expectedAt);
  if (Math.abs(behindMs) <= clockToleranceMs) return undefined;
  return { direction: behindMs > 0 ? "behind" : "ahead", expectedAt, clockAt, expectedBy: "facts" };
}

function millisecondsBetween(earlier: string, later: string): number {
  return Date.parse(later) - Date.parse(earlier);
}
