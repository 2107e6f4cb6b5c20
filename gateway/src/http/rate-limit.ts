import { RateLimiterMemory } from "rate-limiter-flexible";

import { RefusalError } from "./refusal.ts";
import type { SharedCounts } from "./shared-counts.ts";

/** Requests are counted in windows of so many seconds, which begin with a client's first request. */
export const rateWindowSeconds = 60;

/** Where a client stands in its present window. */
export interface RateCount {
  /** Requests that are left in the window, never below zero. */
  readonly remaining: number;
  /** Until the window ends, rounded up. */
  readonly resetSeconds: number;
  /** True for a request beyond the limit. */
  readonly isExceeded: boolean;
}

/** Counts what clients do, each client for itself. */
export interface RateCounter {
  /** Counts one more. */
  count(client: string): Promise<RateCount>;
}

/**
 * Counts, in this process's memory unless the counts are shared; what was counted is forgotten when its window ends.
 * @param limit at least 1
 * @param what apart from what else is counted there
 */
export function createRateCounter(limit: number, what: string, shared?: SharedCounts): RateCounter {
  const counted = { points: limit, duration: rateWindowSeconds, keyPrefix: what };
  const counter = shared?.counterOf(counted) ?? new RateLimiterMemory(counted);
  const standing = (consumed: number, msBeforeNext: number, isExceeded: boolean): RateCount => ({
    remaining: Math.max(0, limit - consumed),
    resetSeconds: Math.max(1, Math.ceil(msBeforeNext / 1_000)),
    isExceeded,
  });
  return {
    // A penalty counts as a consumption does, without an exception where the limit is exceeded.
    async count(client) {
      const { consumedPoints, msBeforeNext } = await counter.penalty(client);
      return standing(consumedPoints, msBeforeNext, consumedPoints > limit);
    },
  };
}

/** `RateLimit-Policy` as draft-ietf-httpapi-ratelimit-headers writes it since its revision 08. */
export function rateLimitPolicy(limit: number): string {
  return `"default";q=${String(limit)};w=${String(rateWindowSeconds)}`;
}

/** `RateLimit`, in the same draft's syntax. */
export function rateLimitState({ remaining, resetSeconds }: RateCount): string {
  return `"default";r=${String(remaining)};t=${String(resetSeconds)}`;
}

/** 429 with `Retry-After` (RFC 6585 §4). @param message what there was too much of */
export function rateLimited(message: string, { resetSeconds }: RateCount): RefusalError {
  return new RefusalError({
    code: "rate-limited",
    message: `${message} Try again in ${String(resetSeconds)} s.`,
    detail: { retryAfterSeconds: resetSeconds },
  });
}
