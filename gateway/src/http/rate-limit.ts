import { RateLimiterMemory } from "rate-limiter-flexible";

import { RefusalError } from "./refusal.ts";
import type { SharedCounts } from "./shared-counts.ts";

/** Length of a counting window in seconds; a window begins with the client's first request. */
export const rateWindowSeconds = 60;

/** A client's count in the current window. */
export interface RateCount {
  /** Remaining requests in the window, at least zero. */
  readonly remaining: number;
  /** Seconds until the window ends, rounded up. */
  readonly resetSeconds: number;
  /** True if the request exceeds the limit. */
  readonly isExceeded: boolean;
}

/** Counts requests per client. */
export interface RateCounter {
  count(client: string): Promise<RateCount>;
}

/** Creates a counter, shared if possible. @param limit at least 1 @param what separates these counts from others */
export function createRateCounter(limit: number, what: string, shared?: SharedCounts): RateCounter {
  const counted = { points: limit, duration: rateWindowSeconds, keyPrefix: what };
  const counter = shared?.counterOf(counted) ?? new RateLimiterMemory(counted);
  const standing = (consumed: number, msBeforeNext: number, isExceeded: boolean): RateCount => ({
    remaining: Math.max(0, limit - consumed),
    resetSeconds: Math.max(1, Math.ceil(msBeforeNext / 1_000)),
    isExceeded,
  });
  return {
    // `penalty` counts like `consume`, but does not throw beyond the limit.
    async count(client) {
      const { consumedPoints, msBeforeNext } = await counter.penalty(client);
      return standing(consumedPoints, msBeforeNext, consumedPoints > limit);
    },
  };
}

/** Returns `RateLimit-Policy` in the syntax of draft-ietf-httpapi-ratelimit-headers-08 and later. */
export function rateLimitPolicy(limit: number): string {
  return `"default";q=${String(limit)};w=${String(rateWindowSeconds)}`;
}

/** Returns `RateLimit` in the syntax of the same draft. */
export function rateLimitState({ remaining, resetSeconds }: RateCount): string {
  return `"default";r=${String(remaining)};t=${String(resetSeconds)}`;
}

/** Returns a 429 with `Retry-After` (RFC 6585 §4). @param message sentence that names the exceeded limit */
export function rateLimited(message: string, { resetSeconds }: RateCount): RefusalError {
  return new RefusalError({
    code: "rate-limited",
    message: `${message} Try again in ${String(resetSeconds)} s.`,
    detail: { retryAfterSeconds: resetSeconds },
  });
}
