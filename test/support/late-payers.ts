import type { SignedEvent, StripeServer } from "@hostledger/providers/testing";
import type { StaffClient } from "@hostledger/rpc";
import { realTiming } from "@hostledger/runtime";
import { eventually } from "@hostledger/runtime/testing";
import { expect } from "vitest";

import { itemsOf, objectOf } from "./matchers.ts";
import { openCustomer, type Customer } from "./staff-client.ts";

/**
 * A customer whose payment at Stripe failed and whose money came afterwards. The instance asks about the payment no more, so a webhook
 * alone has it credited.
 */
export interface LatePayer {
  readonly customer: Customer;
  readonly orderId: string;
  /** The webhook about the money, signed now. */
  webhook(): SignedEvent;
}

/** Cents (EUR) that each late payer pays. */
export const lateCents = 5_000;

/** Settings of an instance whose customers pay through this server. */
export function stripeEnvironment({ url, secretKey, webhookSecret }: StripeServer) {
  return {
    HOSTLEDGER_PAYMENTS: "stripe",
    HOSTLEDGER_PAYMENT_ORIGINS: "https://hosting.example",
    HOSTLEDGER_STRIPE_URL: url.origin,
    HOSTLEDGER_STRIPE_SECRET_KEY: secretKey,
    HOSTLEDGER_STRIPE_WEBHOOK_SECRET: webhookSecret,
  };
}

/** Opens late payers at an instance or a fleet. */
export async function openLatePayers(
  { staff, baseUrl }: { readonly staff: StaffClient; readonly baseUrl: string },
  stripe: StripeServer,
  count: number,
): Promise<readonly LatePayer[]> {
  const payers: LatePayer[] = [];
  for (let index = 0; index < count; index += 1) {
    const customer = await openCustomer(staff, baseUrl, { balanceCents: 0n });
    const asked = { amount: lateCents / 100, method: "card" };
    const { status, body } = await customer.post("/billing/topups", asked);
    if (status !== 201) throw new Error(`the payment was not begun: ${JSON.stringify(body)}`);
    const orderId = stripe.account.orderOfPage(String(objectOf(objectOf(body).topup).redirect_url));
    stripe.account.expire(orderId);
    const webhook = () => stripe.event("charge.succeeded", stripe.account.objectOf("charge", orderId));
    payers.push({ customer, orderId, webhook });
  }
  await eventually(
    realTiming,
    async () => {
      for (const { customer, orderId } of payers) {
        const [topup] = itemsOf((await customer.get("/billing/topups")).body);
        if (topup?.state !== "failed") throw new Error(`${orderId} is ${String(topup?.state)}`);
      }
    },
    { limitMs: 60_000 },
  );
  for (const { orderId } of payers) stripe.account.payLate(orderId);
  return payers;
}

/** Posts a webhook. @returns the status; 0 if the connection broke before the answer */
export async function postWebhook(
  origin: string | URL,
  { body, signature }: SignedEvent,
): Promise<{ readonly status: number; readonly retryAfter: string | null }> {
  try {
    const answer = await fetch(new URL("/payments/stripe", origin), {
      method: "POST",
      headers: { "Content-Type": "application/json", "Stripe-Signature": signature },
      body,
    });
    await answer.arrayBuffer();
    return { status: answer.status, retryAfter: answer.headers.get("retry-after") };
  } catch {
    return { status: 0, retryAfter: null };
  }
}

/** Posts a webhook until the answer is 2xx, as Stripe does, only sooner. */
export async function postUntilTaken(
  origin: () => string | URL,
  payer: LatePayer,
  first?: number,
): Promise<void> {
  let status = first ?? 0;
  for (let attempts = 0; status !== 200; attempts += 1) {
    if (attempts === 200)
      throw new Error(`the webhook about ${payer.orderId} is not taken: ${String(status)}`);
    if (attempts > 0) await realTiming.sleep(100);
    ({ status } = await postWebhook(origin(), payer.webhook()));
  }
}

/** Waits until each payer has the money, and fails if one has it twice. */
export async function eachIsCreditedOnce(payers: readonly LatePayer[]): Promise<void> {
  await eventually(
    realTiming,
    async () => {
      for (const { customer } of payers)
        expect(objectOf((await customer.get("/billing/balance")).body).balance).toBe("50.00");
    },
    { limitMs: 60_000 },
  );
  for (const { customer } of payers)
    expect(itemsOf((await customer.get("/billing/invoices")).body)).toHaveLength(1);
}
