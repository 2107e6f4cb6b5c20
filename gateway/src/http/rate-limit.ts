import { RateLimiterMemory } from "rate-limiter-flexible";
import { realTiming, type Timing } from "@hostledger/runtime";
import { Pace } from "@hostledger/runtime/async";

import { RefusalError } from "./refusal.ts";
import type { SharedCounts } from "./shared-counts.ts";
import { createClientNetworkOf, type RequestOrigin } from "./client-network.ts";

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

/**
 * Creates a counter, shared if possible.
 * @param limit at least 1
 * @param what name that separates these counts from others
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

export interface FailureLimitOptions {
  /** Failures per minute of one address or one key prefix; at least 1. */
  readonly perMinute: number;
  /** Networks (CIDR) of the proxies whose `X-Forwarded-For` the gateway trusts; none if absent. */
  readonly trustedProxies?: readonly string[];
  /** Counts shared by several gateways; without them this process counts alone. */
  readonly sharedCounts?: SharedCounts;
}

/** Pauses between answers to failures of an address, so that an attacker cannot use most of the process's time. */
export const failurePace = { apartMs: 10, atOnce: 100, longestWaitMs: 5_000 } as const;

/** Counts authentications that failed. */
export interface FailureLimit {
  /**
   * Waits for the address's turn, then counts. @param keyPrefix undefined without a key @returns the exceeded limit, if
   * any
   */
  count(
    request: RequestOrigin,
    keyPrefix?: string,
  ): Promise<{ readonly of: "address" | "key"; readonly count: RateCount } | undefined>;
}

/** Counts failures by client address and by key prefix. Requests with a valid key are never refused for earlier failures. */
export function createFailureLimit(options: FailureLimitOptions, timing: Timing = realTiming): FailureLimit {
  const { perMinute, trustedProxies = [], sharedCounts } = options;
  const failures = createRateCounter(perMinute, "failure", sharedCounts);
  const pace = new Pace(failurePace, timing);
  const networkOf = createClientNetworkOf(trustedProxies);
  return {
    async count(request, keyPrefix) {
      const network = networkOf(request);
      const waitMs = pace.turn(network);
      if (waitMs !== undefined) await timing.sleep(waitMs);
      const ofAddress = await failures.count(`address ${network}`);
      if (waitMs === undefined || ofAddress.isExceeded) return { of: "address", count: ofAddress };
      // Counts the prefix only after the address limit, so one client cannot fill the memory with prefixes.
      if (keyPrefix === undefined) return undefined;
      const ofKey = await failures.count(`key ${keyPrefix}`);
      return ofKey.isExceeded ? { of: "key", count: ofKey } : undefined;
    },
  };
}
