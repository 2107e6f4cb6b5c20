import { addMilliseconds } from "@hostledger/core";
import { Backoff, type BackoffLimits } from "@hostledger/runtime/async";

import type { Attended } from "./work-kind.ts";
import type { WorkFailure, WorkKey } from "./work.table.ts";

/** Returns the record of a failed attempt. @param earlier record of the previous failed attempt. */
export function failureAfter(
  { kind, key }: WorkKey,
  earlier: WorkFailure | undefined,
  { effect, reason, retry, attempts, retryAt }: Extract<Attended, { readonly end: "failed" }>,
  failedAt: string,
): WorkFailure {
  return {
    kind,
    key,
    effect,
    attempts,
    reason,
    failing_since: attempts > 1 && earlier !== undefined ? earlier.failing_since : failedAt,
    failed_at: failedAt,
    retry_at: retryAt ?? addMilliseconds(failedAt, pauseAfterFailures(attempts, retry)),
  };
}

/** True while a key waits for its next attempt, though a rebuild made it due. Instants of a clock that was ahead say nothing. */
export function isPaused(
  { failed_at: failedAt, retry_at: retryAt }: WorkFailure,
  dueAt: string | null,
  now: string,
): boolean {
  return failedAt <= now && now < retryAt && (dueAt ?? "") <= failedAt;
}

/** Attempts after which the pause has long been the longest. */
const countedAttempts = 40;

/** Returns a pause in milliseconds, shortened by up to half at random. @param attempts failed in an unbroken series */
export function pauseAfterFailures(attempts: number, limits: BackoffLimits): number {
  const backoff = new Backoff(limits);
  let pauseMs = backoff.next();
  for (let made = 1; made < Math.min(attempts, countedAttempts); made += 1) pauseMs = backoff.next();
  return Math.ceil(pauseMs);
}
