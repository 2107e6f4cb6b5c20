import type { ClockState } from "./clock.decider.ts";
import type { ClockJump } from "./clock.events.ts";

/** How far a clock may be behind the newest fact, or leave the monotonic clock: 5 minutes, in milliseconds. */
export const clockToleranceMs = 5 * 60_000;

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
  return open.findLast(({ direction, expectedAt, clockAt: jumpedTo }) =>
    direction === "behind"
      ? millisecondsBetween(clockAt, expectedAt) > clockToleranceMs
      : !isMovedAhead && millisecondsBetween(clockAt, jumpedTo) <= clockToleranceMs,
  );
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
    return isAccepted ? undefined : { direction: "behind", expectedAt: newestFactAt, clockAt };
  }
  if (isMovedAhead || -behindMs <= longestRestMs) return undefined;
  return { direction: "ahead", expectedAt: newestFactAt, clockAt };
}

/**
 * How a clock has left the monotonic one while the process ran.
 *
 * @param expectedAt the present, had the clock gone on as the monotonic one did.
 */
export function jumpWhileRunning(expectedAt: string, clockAt: string): NewClockJump | undefined {
  const behindMs = millisecondsBetween(clockAt, expectedAt);
  if (Math.abs(behindMs) <= clockToleranceMs) return undefined;
  return { direction: behindMs > 0 ? "behind" : "ahead", expectedAt, clockAt };
}

function millisecondsBetween(earlier: string, later: string): number {
  return Date.parse(later) - Date.parse(earlier);
}
