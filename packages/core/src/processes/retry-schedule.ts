import { addMilliseconds } from "../calendar/calendar.ts";

/** When a step that another provider did not answer is tried again, and how often at most. */
export interface RetrySchedule {
  /** Attempts before the run gives up on the step. */
  readonly limit: number;
  readonly firstDelayMs: number;
  /** The delay doubles up to this. */
  readonly longestDelayMs: number;
}

/** The registrar is asked what happened while the customer waits: briefly. */
export const inquirySchedule: RetrySchedule = { limit: 3, firstDelayMs: 300, longestDelayMs: 1_000 };

/** The registrar is asked after the money went back: patiently, for half a day; then staff is asked. */
export const settlementSchedule: RetrySchedule = {
  limit: 3_000,
  firstDelayMs: 2_000,
  longestDelayMs: 15_000,
};

/** The instant of the next attempt after `attempts` failed ones. */
export function nextAttemptAt(schedule: RetrySchedule, attempts: number, at: string): string {
  const delay = schedule.firstDelayMs * 2 ** Math.min(attempts - 1, 30);
  return addMilliseconds(at, Math.min(delay, schedule.longestDelayMs));
}
