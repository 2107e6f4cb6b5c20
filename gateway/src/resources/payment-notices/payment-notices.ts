import type { Client } from "@connectrpc/connect";
import type { account } from "@hostledger/protocol";
import type { Outgoing } from "@hostledger/rpc";
import type { Express, Request } from "express";

import { send } from "../../http/answer.ts";
import type { GatewayResponse } from "../../http/gateway-context.ts";
import { readBytes } from "../../http/json-body.ts";
import { otherMethods } from "../../http/mount.ts";
import { RefusalError } from "../../http/refusal.ts";

/** Maximum bytes of a webhook. */
const longestNotice = 1024 * 1024;

/** Maximum characters of the header with the signature. */
const longestSignature = 4_096;

const gateway = { kind: "service", name: "gateway" } as const;

const path = "/payments/stripe";

export interface PaymentNoticeOptions {
  readonly paymentNotices: Client<typeof account.PaymentNoticeService>;
  readonly outgoing: Outgoing;
  /** Time limit of the call to the account service, in milliseconds. */
  readonly requestTimeoutMs: number;
}

/**
 * Mounts the endpoint for Stripe's webhooks (https://docs.stripe.com/webhooks). It is outside the API prefix,
 * because Stripe defines the requests. The body is passed on unchanged, because its signature covers each octet.
 */
export function mountPaymentNotices(
  app: Express,
  { paymentNotices, outgoing, requestTimeoutMs: timeoutMs }: PaymentNoticeOptions,
): void {
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
      const body = await readBytes(request, longestNotice, "A webhook has at most 1 MiB.");
      const headers = outgoing({ caller: gateway, requestId: context.requestId });
      const { ignoredBecause } = await paymentNotices.receivePaymentNotice(
        { provider: "stripe", body, signature },
        { headers, timeoutMs },
      );
      const ignored = ignoredBecause === "" ? {} : { ignored_because: ignoredBecause };
      send(response, { status: 200, body: { status: true, ...ignored } });
    })
    .all(otherMethods(path, ["POST"]));
}
