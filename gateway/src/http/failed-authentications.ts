import { realTiming, type Timing } from "@hostledger/runtime";
import { Pace } from "@hostledger/runtime/async";

import { createClientNetworkOf, type RequestOrigin } from "./client-network.ts";
import { createRateCounter, type RateCount } from "./rate-limit.ts";
import type { SharedCounts } from "./shared-counts.ts";

/** Whose failures are counted, and how many are too many. */
export interface FailureLimitOptions {
  /** Failures that an address, or the beginning of a key, has a minute; at least 1. */
  readonly perMinute: number;
  /** Networks (CIDR) of the proxies that may name the client in `X-Forwarded-For`; without any nobody may. */
  readonly trustedProxies?: readonly string[];
  /** Where several gateways count together; in this process's memory without it. */
  readonly sharedCounts?: SharedCounts;
}

/**
 * Failures of one address are answered so far apart, but for the first ones: whoever guesses as fast as answers come would
 * otherwise have most of this process's time.
 */
export const failurePace = { apartMs: 10, atOnce: 100, longestWaitMs: 5_000 } as const;

/** Counts authentications that failed. */
export interface FailureLimit {
  /**
   * Counts one more, when it is its address's turn to be answered.
   * @param keyPrefix beginning of the key that was shown, by which it may be spoken of; undefined where there was none.
   * @returns whose limit it exceeds, if any.
   */
  count(
    request: RequestOrigin,
    keyPrefix?: string,
  ): Promise<{ readonly of: "address" | "key"; readonly count: RateCount } | undefined>;
}

/**
 * Counts failures by client address and by the beginning of the key. Nobody who shows what is valid is turned away for
 * them: what is limited is guessing.
 */
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
      // Counted behind the address alone, so that one client cannot fill the memory with beginnings of keys.
      if (keyPrefix === undefined) return undefined;
      const ofKey = await failures.count(`key ${keyPrefix}`);
      return ofKey.isExceeded ? { of: "key", count: ofKey } : undefined;
    },
  };
}
