import type { Client } from "@connectrpc/connect";
import type { account } from "@hostledger/protocol";
import type { Outgoing } from "@hostledger/rpc";
import { onBehalfOf, Semaphore, SemaphoreFullError } from "@hostledger/runtime/async";
import type { Express, Request } from "express";

import { createClientNetworkOf } from "../../http/client-network.ts";
import { createRateCounter, rateLimited } from "../../http/rate-limit.ts";
import type { SharedCounts } from "../../http/shared-counts.ts";
import { send } from "../../http/answer.ts";
import type { GatewayResponse } from "../../http/gateway-context.ts";
import { readBytes } from "../../http/json-body.ts";
import { otherMethods } from "../../http/mount.ts";
import { RefusalError } from "../../http/refusal.ts";

/** Maximum bytes of a webhook. */
const longestNotice = 1024 * 1024;

/** Maximum characters of the header with the signature. */
const longestSignature = 4_096;

/** Limit of an address, as a multiple of an API key's limit: a provider sends several webhooks for each payment, from few addresses. */
const timesLimitOfKeys = 10;

/**
 * Webhooks in work at a time, in all and of one address, and webhooks that wait. The body of a waiting webhook is not read
 * yet, so at most 64 bodies of 1 MiB are in memory.
 */
const concurrency = { permits: 64, permitsPerOwner: 16, waiting: 2_000 };

const gateway = { kind: "service", name: "gateway" } as const;

const path = "/payments/stripe";

export interface PaymentNoticeOptions {
  readonly paymentNotices: Client<typeof account.PaymentNoticeService>;
  readonly outgoing: Outgoing;
  /** Time limit of the call to the account service, in milliseconds. */
  readonly requestTimeoutMs: number;
  /** Limit per minute for requests of an API key, from which the limit of an address follows; 0: none. */
  readonly requestsPerMinute: number;
  readonly trustedProxies?: readonly string[];
  readonly sharedCounts?: SharedCounts;
}

/**
 * Mounts the endpoint for Stripe's webhooks (https://docs.stripe.com/webhooks). It is outside the API prefix,
 * because Stripe defines the requests. The body is passed on unchanged, because its signature covers each octet.
 * A sender beyond the limits gets 429 or 503 before the body is read: Stripe repeats a webhook until the answer is 2xx.
 */
export function mountPaymentNotices(app: Express, options: PaymentNoticeOptions): void {
  const { paymentNotices, outgoing, requestTimeoutMs: timeoutMs } = options;
  const withinLimits = limitWebhooks(options);
  app
    .route(path)
    .post(async (request: Request, response: GatewayResponse) => {
      const { context } = response.locals;
      context.route = path;
      const [signature, ...others] = request.headersDistinct["stripe-signature"] ?? [];
      if (signature === undefined || others.length > 0 || signature.length > longestSignature)
        throw new RefusalError({
          code: "malformed-request",
          message: "Send one Stripe-Signature header, as Stripe does.",
        });
      const { ignoredBecause } = await withinLimits(request, async () => {
        const body = await readBytes(request, longestNotice, "A webhook has at most 1 MiB.");
        const headers = outgoing({ caller: gateway, requestId: context.requestId });
        return paymentNotices.receivePaymentNotice(
          { provider: "stripe", body, signature },
          { headers, timeoutMs },
        );
      });
      const ignored = ignoredBecause === "" ? {} : { ignored_because: ignoredBecause };
      send(response, { status: 200, body: { status: true, ...ignored } });
    })
    .all(otherMethods(path, ["POST"]));
}

/** Makes the limits on webhooks, per address and together. @throws RefusalError 429 or 503 before the work begins */
function limitWebhooks({
  requestsPerMinute,
  sharedCounts,
  trustedProxies = [],
}: PaymentNoticeOptions): <Result>(request: Request, work: () => Promise<Result>) => Promise<Result> {
  const perMinute = requestsPerMinute * timesLimitOfKeys;
  const counter = perMinute === 0 ? undefined : createRateCounter(perMinute, "notice", sharedCounts);
  const networkOf = createClientNetworkOf(trustedProxies);
  const inHand = new Semaphore(concurrency);
  return async (request, work) => {
    const network = networkOf(request);
    const count = await counter?.count(network);
    if (count?.isExceeded === true)
      throw rateLimited(`An address has ${String(perMinute)} webhooks a minute.`, count);
    try {
      return await onBehalfOf(network, () => inHand.run(work));
    } catch (error) {
      if (!(error instanceof SemaphoreFullError)) throw error;
      throw new RefusalError({
        code: "overloaded",
        message: "Too many webhooks came at once. Nothing was done with this one: send it again.",
        detail: { retryAfterSeconds: 5 },
      });
    }
  };
}
