import { addMilliseconds } from "../calendar/calendar.ts";

/** When a step that another provider did not answer is tried again, and how often at most. */
export interface RetrySchedule {
  /** Attempts before the run gives up on the step. */
  readonly limit: number;
  readonly firstDelayMs: number;
  /** The delay doubles up to this. */
  readonly longestDelayMs: number;
  /** After so many attempts the delay doubles on, up to a longer one: what fails so long mostly fails the same way. */
  readonly slowing?: { readonly afterAttempts: number; readonly longestDelayMs: number };
}

/** The registrar is asked what happened while the customer waits: briefly. */
export const inquirySchedule: RetrySchedule = { limit: 3, firstDelayMs: 300, longestDelayMs: 1_000 };

/**
 * The provider is asked after the brief questions: briskly for some minutes, then more and more rarely, up to an hour. Staff
 * get a ticket after {@link failuresBeforeTicket}; after a week the run waits for them.
 */
export const settlementSchedule: RetrySchedule = {
  limit: 190,
  firstDelayMs: 2_000,
  longestDelayMs: 15_000,
  slowing: { afterAttempts: 12, longestDelayMs: 3_600_000 },
};

/** Failures of one step in a row after which staff get a ticket. The step goes on. */
export const failuresBeforeTicket = 10;

/** The instant of the next attempt after `attempts` failed ones. */
export function nextAttemptAt(schedule: RetrySchedule, attempts: number, at: string): string {
  return addMilliseconds(at, delayMs(schedule, attempts));
}

/** The delay after so many failed attempts, in milliseconds. */
export function delayMs({ firstDelayMs, longestDelayMs, slowing }: RetrySchedule, attempts: number): number {
  if (slowing !== undefined && attempts > slowing.afterAttempts)
    return Math.min(longestDelayMs * doubled(attempts - slowing.afterAttempts), slowing.longestDelayMs);
  return Math.min(firstDelayMs * doubled(attempts - 1), longestDelayMs);
}

function doubled(times: number): number {
  return 2 ** Math.min(Math.max(times, 0), 30);
}
