import type { Request } from "express";

import { apiKeyIn, type Authenticate, keyPrefixOf } from "./authentication.ts";
import type { Customer } from "./caller.ts";
import type { GatewayContext } from "./gateway-context.ts";
import {
  createFailureLimit,
  createRateCounter,
  type FailureLimitOptions,
  rateLimited,
  rateLimitPolicy,
  rateLimitState,
} from "./rate-limit.ts";
import { customersRejectionOf } from "./refusal.ts";

/** Finds the API key that a request carries. @throws RefusalError 400 or 401 */
export type KeyIn = (request: Request) => string;

/**
 * Authenticates a request within its limits. @param keyIn default: the `Authorization` header @throws RefusalError 400,
 * 401 or 429
 */
export type Admission = (request: Request, context: GatewayContext, keyIn?: KeyIn) => Promise<Customer>;

/** Sentences of the 429 for too many failed authentications. */
const tooManyFailures = {
  address: "Too many requests from your address had no valid API key.",
  key: "Too many requests had an invalid API key with this beginning.",
} as const;

/**
 * Authenticates within limits (contract, "Conventions"). Each API key may make `perMinute` requests; answers show the
 * remaining number. Each client address and each key prefix may fail as often; further failures get 429. Valid keys are
 * never refused for failures of others, so an attacker cannot lock out customers.
 * @param limit undefined means unlimited.
 */
export function createAdmission(
  authenticate: Authenticate,
  limit: FailureLimitOptions | undefined,
): Admission {
  if (limit === undefined)
    return async (request, { requestId }, keyIn = apiKeyIn) =>
      authenticate(keyIn(request), request, requestId);
  const { perMinute, sharedCounts } = limit;
  const ofKeys = createRateCounter(perMinute, "key", sharedCounts);
  const failures = createFailureLimit(limit);
  const policy = rateLimitPolicy(perMinute);

  async function customerOf(
    request: Request,
    { requestId }: GatewayContext,
    keyIn: KeyIn,
  ): Promise<Customer> {
    let apiKey: string | undefined;
    try {
      apiKey = keyIn(request);
      return await authenticate(apiKey, request, requestId);
    } catch (error) {
      if (!isTurnedAway(error)) throw error;
      const exceeded = await failures.count(request, apiKey && keyPrefixOf(apiKey));
      if (exceeded === undefined) throw error;
      throw rateLimited(tooManyFailures[exceeded.of], exceeded.count);
    }
  }

  return async (request, context, keyIn = apiKeyIn) => {
    const customer = await customerOf(request, context, keyIn);
    const count = await ofKeys.count(String(customer.keyId));
    context.headers = ["RateLimit-Policy", policy, "RateLimit", rateLimitState(count)];
    if (count.isExceeded) throw rateLimited(`An API key has ${String(perMinute)} requests a minute.`, count);
    return customer;
  };
}

/** Returns true for failures that count against the address, including a valid key from a forbidden address. */
function isTurnedAway(error: unknown): boolean {
  const { code } = customersRejectionOf(error);
  return code === "unauthenticated" || code === "address-not-allowed";
}
