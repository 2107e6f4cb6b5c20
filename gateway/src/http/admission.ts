import { rejectionOf } from "@hostledger/rpc";
import type { Request } from "express";

import { apiKeyIn, keyPrefixOf, type Authenticate } from "./authentication.ts";
import type { Customer } from "./caller.ts";
import type { GatewayContext } from "./gateway-context.ts";
import { createRateCounter, rateLimited, rateLimitPolicy, rateLimitState } from "./rate-limit.ts";
import { RefusalError } from "./refusal.ts";
import { networkOf } from "./remote-network.ts";

/** Lets a request in: says who calls, and that the caller may. @throws RefusalError 400, 401 or 429 */
export type Admission = (request: Request, context: GatewayContext) => Promise<Customer>;

/**
 * Authentication within limits (contract, "Conventions"). Every API key has `requestsPerMinute`; its answers tell how many
 * are left. As many failed authentications has every client address, and every beginning of a key from whatever address:
 * beyond them a failure is answered 429. A valid key passes all the same, so that nobody is shut out by a guesser behind
 * the same address or by one who has seen how a key begins; what a guesser may cost is bounded where commands queue.
 *
 * The address is what Express takes for the client's: the connection's, or what a trusted proxy says.
 *
 * @param requestsPerMinute 0 sets no limit.
 */
export function createAdmission(authenticate: Authenticate, requestsPerMinute: number): Admission {
  if (requestsPerMinute === 0)
    return async (request, { requestId }) => authenticate(apiKeyIn(request), requestId);
  const ofKeys = createRateCounter(requestsPerMinute);
  const failures = createRateCounter(requestsPerMinute);
  const policy = rateLimitPolicy(requestsPerMinute);

  /** @throws RefusalError 429 where the failure is one too many for its address, or for keys that begin so. */
  async function countFailure(address: string | undefined, apiKey: string | undefined): Promise<void> {
    const ofAddress = await failures.count(`address ${networkOf(address)}`);
    if (ofAddress.isExceeded)
      throw rateLimited("Too many requests from your address had no valid API key.", ofAddress);
    // Counted behind the address alone, so that one client cannot fill the memory with beginnings of keys.
    if (apiKey === undefined) return;
    const ofKey = await failures.count(`key ${keyPrefixOf(apiKey)}`);
    if (ofKey.isExceeded)
      throw rateLimited("Too many requests had a key that begins so and is not valid.", ofKey);
  }

  async function customerOf(request: Request, { requestId }: GatewayContext): Promise<Customer> {
    let apiKey: string | undefined;
    try {
      apiKey = apiKeyIn(request);
      return await authenticate(apiKey, requestId);
    } catch (error) {
      if (isUnauthenticated(error)) await countFailure(request.ip, apiKey);
      throw error;
    }
  }

  return async (request, context) => {
    const customer = await customerOf(request, context);
    const count = await ofKeys.count(String(customer.keyId));
    context.headers = ["RateLimit-Policy", policy, "RateLimit", rateLimitState(count)];
    if (count.isExceeded)
      throw rateLimited(`An API key has ${String(requestsPerMinute)} requests a minute.`, count);
    return customer;
  };
}

function isUnauthenticated(error: unknown): boolean {
  const { code } = error instanceof RefusalError ? error.rejection : rejectionOf(error);
  return code === "unauthenticated";
}
