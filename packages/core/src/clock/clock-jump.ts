import { clockToleranceMs, isSameDifference } from "./clock-tolerance.ts";
import type { ClockState } from "./clock.decider.ts";
import type { ClockJump } from "./clock.events.ts";

/** How far ahead of the newest fact a clock may be at a start: 30 days, in milliseconds. A business that rests for longer asks. */
export const longestRestMs = 30 * 86_400_000;

/** What is known of the time at a start. Instants are ISO 8601 UTC with six fractional digits. */
export interface StartingClock {
  readonly clockAt: string;
  /** When the last fact was stored; undefined before the first. */
  readonly newestFactAt: string | undefined;
  /** True when somebody moved the clock ahead on purpose, which confirms it in that direction and in no other. */
  readonly isMovedAhead: boolean;
}

/** A jump that has no name yet. */
export type NewClockJump = Omit<ClockJump, "jumpId">;

/**
 * The open jump on whose side a clock still is: a restart alone confirms nothing, and a clock that was set right is not
 * concerned.
 */
export function openJumpOf(
  { open }: Pick<ClockState, "open">,
  { clockAt, isMovedAhead }: Omit<StartingClock, "newestFactAt">,
): ClockJump | undefined {
  return open.findLast(({ direction, expectedAt, clockAt: jumpedTo, expectedBy }) => {
    // How far a clock is from the database's is seen anew at each start.
    if (expectedBy === "database") return false;
    return direction === "behind"
      ? millisecondsBetween(clockAt, expectedAt) > clockToleranceMs
      : !isMovedAhead && millisecondsBetween(clockAt, jumpedTo) <= clockToleranceMs;
  });
}

/** By how much a clock was ahead of what was expected, in milliseconds; below zero behind it. */
export function differenceOf({ expectedAt, clockAt }: Pick<ClockJump, "expectedAt" | "clockAt">): number {
  return millisecondsBetween(expectedAt, clockAt);
}

/**
 * How a clock differs from that of the database which all processes share; undefined when it does not, or when staff confirmed just
 * this difference. One that is open for the same difference is that one: a restart is told once.
 *
 * @param times `expectedAt`: the database's, moved as the process's own was moved ahead on purpose.
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

/** How the clock contradicts the facts at a start; undefined when it does not, or when staff confirmed just this. */
export function jumpAtStart(
  { accepted }: Pick<ClockState, "accepted">,
  { clockAt, newestFactAt, isMovedAhead }: StartingClock,
): NewClockJump | undefined {
  if (newestFactAt === undefined) return undefined;
  const behindMs = millisecondsBetween(clockAt, newestFactAt);
  if (behindMs > clockToleranceMs) {
    const isAccepted =
      accepted?.direction === "behind" &&
      newestFactAt <= accepted.expectedAt &&
      millisecondsBetween(clockAt, accepted.clockAt) <= clockToleranceMs;
    return isAccepted
      ? undefined
      : { direction: "behind", expectedAt: newestFactAt, clockAt, expectedBy: "facts" };
  }
  if (isMovedAhead || -behindMs <= longestRestMs) return undefined;
  return { direction: "ahead", expectedAt: newestFactAt, clockAt, expectedBy: "facts" };
}

/**
 * How a clock has left the monotonic one while the process ran.
 *
 * @param expectedAt the present, had the clock gone on as the monotonic one did.
 */
export function jumpWhileRunning(expectedAt: string, clockAt: string): NewClockJump | undefined {
  const behindMs = millisecondsBetween(clockAt, expectedAt);
  if (Math.abs(behindMs) <= clockToleranceMs) return undefined;
  return { direction: behindMs > 0 ? "behind" : "ahead", expectedAt, clockAt, expectedBy: "facts" };
}

function millisecondsBetween(earlier: string, later: string): number {
  return Date.parse(later) - Date.parse(earlier);
}
