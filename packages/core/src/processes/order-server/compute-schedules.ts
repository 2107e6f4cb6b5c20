import type { RetrySchedule } from "../retry-schedule.ts";

/** The compute party is asked what happened while the customer waits: briefly. */
export const computeInquirySchedule: RetrySchedule = { limit: 3, firstDelayMs: 300, longestDelayMs: 1_000 };

/** The compute party is asked after the money went back: patiently, for half a day; then staff is asked. */
export const computeSettlementSchedule: RetrySchedule = {
  limit: 3_000,
  firstDelayMs: 2_000,
  longestDelayMs: 15_000,
};
