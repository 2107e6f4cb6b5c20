import { addMilliseconds } from "../calendar/calendar.ts";

/** Times and number of retries of a step that a provider did not answer. */
export interface RetrySchedule {
  /** Attempts before the run gives up the step. */
  readonly limit: number;
  readonly firstDelayMs: number;
  /** Limit of the doubling delay, in milliseconds. */
  readonly longestDelayMs: number;
  /**
   * After this number of attempts the delay doubles again, up to a longer limit in milliseconds, because a long failure
   * rarely ends soon.
   */
  readonly slowing?: { readonly afterAttempts: number; readonly longestDelayMs: number };
}

/** Brief inquiries at the registrar while the customer waits. */
export const inquirySchedule: RetrySchedule = { limit: 3, firstDelayMs: 300, longestDelayMs: 1_000 };

/**
 * Inquiries after the brief ones: frequent for some minutes, then less often, at last hourly. Staff get a ticket after
 * {@link failuresBeforeTicket}; after a week the run waits for staff.
 */
export const settlementSchedule: RetrySchedule = {
  limit: 190,
  firstDelayMs: 2_000,
  longestDelayMs: 15_000,
  slowing: { afterAttempts: 12, longestDelayMs: 3_600_000 },
};

/** Failures of one step in a row after which staff get a ticket. The retries continue. */
export const failuresBeforeTicket = 10;

/** Returns the time of the next attempt after `attempts` failures. */
export function nextAttemptAt(schedule: RetrySchedule, attempts: number, at: string): string {
  return addMilliseconds(at, delayMs(schedule, attempts));
}

/** Returns the delay after `attempts` failures, in milliseconds. */
export function delayMs({ firstDelayMs, longestDelayMs, slowing }: RetrySchedule, attempts: number): number {
  if (slowing !== undefined && attempts > slowing.afterAttempts)
    return Math.min(longestDelayMs * doubled(attempts - slowing.afterAttempts), slowing.longestDelayMs);
  return Math.min(firstDelayMs * doubled(attempts - 1), longestDelayMs);
}

function doubled(times: number): number {
  return 2 ** Math.min(Math.max(times, 0), 30);
}
