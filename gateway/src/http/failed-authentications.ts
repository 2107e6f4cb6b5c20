import { realTiming, type Timing } from "@hostledger/runtime";
import { Pace } from "@hostledger/runtime/async";

import { createClientNetworkOf, type RequestOrigin } from "./client-network.ts";
import { createRateCounter, type RateCount } from "./rate-limit.ts";
import type { SharedCounts } from "./shared-counts.ts";

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
