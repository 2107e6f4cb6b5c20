import { hash } from "node:crypto";

import { rejectionOf } from "@hostledger/rpc";
import { Lru } from "@hostledger/runtime";
import type { Request } from "express";

import type { Authenticate } from "./authentication.ts";
import type { Customer } from "./caller.ts";
import type { GatewayContext } from "./gateway-context.ts";
import { createRateCounter, rateLimited, rateLimitPolicy, rateLimitState } from "./rate-limit.ts";
import { RefusalError } from "./refusal.ts";
import { networkOf } from "./remote-network.ts";

/** Lets a request in: says who calls, and that the caller may. @throws RefusalError 401 or 429 */
export type Admission = (request: Request, context: GatewayContext) => Promise<Customer>;

/** Digests of keys that are remembered as good. */
const rememberedKeys = 10_000;

/**
 * Authentication within limits (contract, "Conventions"). Every API key has `requestsPerMinute`; its answers tell how many
 * are left. Every address has as many failed authentications: beyond them its requests are turned away before the
 * account service is asked, except those with a key that was good lately, so that one guesser behind a shared address
 * does not shut out the customers who share it.
 *
 * Both are counted in this process alone. The address is the connection's: `X-Forwarded-For` is anyone's to write.
 *
 * @param requestsPerMinute 0 sets no limit.
 */
export function createAdmission(authenticate: Authenticate, requestsPerMinute: number): Admission {
  if (requestsPerMinute === 0) {
    return (request, { requestId }) => authenticate(request.headers.authorization, requestId);
  }
  const ofKeys = createRateCounter(requestsPerMinute);
  const failures = createRateCounter(requestsPerMinute);
  const goodKeys = createRecentKeys(rememberedKeys);
  const policy = rateLimitPolicy(requestsPerMinute);

  async function customerOf(request: Request, { requestId }: GatewayContext): Promise<Customer> {
    const { authorization } = request.headers;
    const address = networkOf(request.socket.remoteAddress);
    const failed = await failures.look(address);
    if (failed.isExceeded && !goodKeys.has(authorization)) {
      throw rateLimited("Too many requests from your address had no valid API key.", failed);
    }
    try {
      const customer = await authenticate(authorization, requestId);
      goodKeys.add(authorization);
      return customer;
    } catch (error) {
      if (isUnauthenticated(error)) {
        goodKeys.delete(authorization);
        await failures.count(address);
      }
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

/** Remembers the last keys that were good, as digests: the gateway keeps no key. */
function createRecentKeys(capacity: number) {
  const digests = new Lru<string, true>(capacity);
  const digestOf = (header = ""): string => hash("sha256", header, "base64url");
  return {
    has: (header: string | undefined) => digests.has(digestOf(header)),
    delete(header: string | undefined) {
      digests.delete(digestOf(header));
    },
    add(header: string | undefined) {
      digests.set(digestOf(header), true);
    },
  };
}
