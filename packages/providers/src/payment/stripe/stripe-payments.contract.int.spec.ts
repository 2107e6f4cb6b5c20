import { manualClock, realTiming } from "@hostledger/runtime";
import { afterEach, expect } from "vitest";

import { describePaymentsContract } from "../../contract/payments.contract.ts";
import { startStripeServer, type StripeServer } from "../../testing/stripe/stripe-server.ts";
import { StripePayments } from "./stripe-payments.adapter.ts";

let undocumented: StripeServer["undocumented"] = [];
afterEach(() => {
  expect(undocumented).toEqual([]);
});

describePaymentsContract("Stripe, at a server of its documented API", async () => {
  const clock = manualClock("2026-03-01T10:00:00.000000Z", realTiming);
  const server = await startStripeServer({ nowMs: () => clock.epochMilliseconds() });
  ({ undocumented } = server);
  const { url, secretKey, account } = server;
  const homeUrl = "https://hosting.example/";
  let orders = 0;
  return {
    payments: new StripePayments({ url, secretKey, timeLimitMs: 5_000, clock, homeUrl }),
    now: () => clock.now(),
    orderOf(fate) {
      orders += 1;
      const orderId = `payment-k3x7m2-${fate}-${String(orders)}`;
      return { orderId, method: "card", amountCents: 5_000n, returnUrl: `${homeUrl}billing` };
    },
    pay({ orderId }) {
      if (orderId.includes("declined")) {
        account.decline(orderId);
        account.expire(orderId);
      } else account.pay(orderId);
    },
    refundOf({ orderId }, amountCents = 2_500n) {
      orders += 1;
      return { orderId, refundId: `${orderId}-refund-${String(orders)}`, amountCents };
    },
    // Stripe makes refunds of cards at once.
    makeRefunds: () => undefined,
    chargeBack({ orderId }) {
      account.chargeBack(orderId);
    },
    close: () => server.close(),
  };
});
