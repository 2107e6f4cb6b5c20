import type { Request } from "express";

import { apiKeyIn, keyPrefixOf, type Authenticate } from "./authentication.ts";
import type { Customer } from "./caller.ts";
import type { GatewayContext } from "./gateway-context.ts";
import { createFailureLimit, type FailureLimitOptions } from "./failed-authentications.ts";
import { createRateCounter, rateLimited, rateLimitPolicy, rateLimitState } from "./rate-limit.ts";
import { customersRejectionOf } from "./refusal.ts";

/** Finds the API key that a request carries. @throws RefusalError 400 or 401 */
export type KeyIn = (request: Request) => string;

/**
 * Lets a request in: says who calls, and that the caller may.
 * @param keyIn where the key stands; default: as the API has it.
 * @throws RefusalError 400, 401 or 429
 */
export type Admission = (request: Request, context: GatewayContext, keyIn?: KeyIn) => Promise<Customer>;

/** Said with the code of a failure that is one too many. */
const tooManyFailures = {
  address: "Too many requests from your address had no valid API key.",
  key: "Too many requests had a key that begins so and is not valid.",
} as const;

/**
 * Authentication within limits (contract, "Conventions"). Every API key has `perMinute` requests; its answers tell how many
 * are left. As many failed authentications has every client address, and every beginning of a key from whatever address:
 * beyond them a failure is answered 429. A valid key passes all the same, so that nobody is shut out by a guesser behind
 * the same address or by one who has seen how a key begins.
 *
 * @param limit undefined sets none.
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

/** A right key from a wrong address counts as a wrong one does: it must cost its owner none of the key's own requests. */
function isTurnedAway(error: unknown): boolean {
  const { code } = customersRejectionOf(error);
  return code === "unauthenticated" || code === "address-not-allowed";
}
