import { writeFileSync } from "node:fs";
import { join } from "node:path";

import { startStripeServer, type SignedEvent, type StripeServer } from "@hostledger/providers/testing";
import { realTiming } from "@hostledger/runtime";
import { eventually, temporaryDirectory, virtualClock } from "@hostledger/runtime/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { itemsOf, objectOf } from "../support/matchers.ts";
import { openShop, type Shop } from "../support/shop.ts";
import type { Customer } from "../support/staff-client.ts";

/** Payments through Stripe: a server with Stripe's documented API replaces Stripe, and tests play its customers. */

const clock = virtualClock();
const files = temporaryDirectory();
let stripe: StripeServer;
let shop: Shop;
beforeAll(async () => {
  stripe = await startStripeServer({ nowMs: () => clock.epochMilliseconds() });
  const secret = (name: string, value: string) => {
    writeFileSync(join(files.path, name), `${value}\n`, { mode: 0o600 });
    return join(files.path, name);
  };
  shop = await openShop({
    clock,
    environment: {
      HOSTLEDGER_PAYMENTS: "stripe",
      HOSTLEDGER_STRIPE_URL: stripe.url.origin,
      HOSTLEDGER_STRIPE_SECRET_KEY_FILE: secret("key", stripe.secretKey),
      HOSTLEDGER_STRIPE_WEBHOOK_SECRET_FILE: secret("webhook", stripe.webhookSecret),
    },
  });
});
afterAll(async () => {
  await shop.close();
  await stripe.close();
  files.remove();
  expect(stripe.undocumented).toEqual([]);
});

const balanceOf = async (customer: Customer) =>
  objectOf((await customer.get("/billing/balance")).body).balance;

/** Begins a payment. @returns its id, the page of Stripe, and the order at Stripe */
async function begin(customer: Customer, amount = 50) {
  const { status, body } = await customer.post("/billing/topups", {
    amount,
    method: "card",
    return_url: "https://hosting.example/billing",
  });
  expect(status).toBe(201);
  const { id, redirect_url: page } = objectOf(objectOf(body).topup);
  const orderId = stripe.account.orderOfPage(String(page));
  return { id, page, orderId };
}

async function post({ body, signature }: SignedEvent) {
  const answer = await fetch(new URL("/payments/stripe", shop.instance.baseUrl), {
    method: "POST",
    headers: { "Content-Type": "application/json", "Stripe-Signature": signature },
    body,
  });
  return { status: answer.status, body: objectOf(await answer.json()) };
}

function hasBalance(customer: Customer, balance: string): Promise<void> {
  return eventually(realTiming, async () => {
    expect(await balanceOf(customer)).toBe(balance);
  });
}

describe("a customer who pays through Stripe", () => {
  it("is sent to Stripe's page, and gets the money once, with any webhooks", async () => {
    const customer = await shop.customer(0n);
    const { id, page, orderId } = await begin(customer);
    expect(page).toMatch(/^https:\/\/checkout\.example\//);
    stripe.account.pay(orderId);
    const events = [
      stripe.event("charge.succeeded", stripe.account.objectOf("charge", orderId)),
      stripe.event("checkout.session.completed", stripe.account.objectOf("session", orderId)),
    ];
    const answers = await Promise.all([...events, ...events.toReversed()].map(post));
    expect(answers).toEqual(answers.map(() => ({ status: 200, body: { status: true } })));
    await hasBalance(customer, "50.00");
    expect(objectOf((await customer.get(`/billing/topups/${String(id)}`)).body)).toMatchObject({
      state: "settled",
      paid: 50,
      reference: expect.stringMatching(/^ch_test_/),
    });
    expect(itemsOf((await customer.get("/billing/invoices")).body)).toHaveLength(1);
  });

  it("gets the money without any webhook, too", async () => {
    const customer = await shop.customer(0n);
    stripe.account.pay((await begin(customer, 20)).orderId);
    await hasBalance(customer, "20.00");
  });

  it("is debited after a chargeback, also into debt, and gets a ticket", async () => {
    const customer = await shop.customer(0n);
    const { orderId } = await begin(customer);
    stripe.account.pay(orderId);
    await hasBalance(customer, "50.00");
    expect((await customer.post("/domains", { domain: "charged-back.com" })).status).toBe(201);
    stripe.account.chargeBack(orderId);
    const dispute = stripe.account.objectOf("dispute", orderId);
    expect(await post(stripe.event("charge.dispute.created", dispute))).toMatchObject({ status: 200 });
    await eventually(realTiming, async () => {
      expect(Number(await balanceOf(customer))).toBeLessThan(0);
      expect(itemsOf((await customer.get("/tickets")).body)).toHaveLength(1);
    });
  });

  it("is asked to try again if Stripe's answer is lost, and pays once", async () => {
    const customer = await shop.customer(0n);
    stripe.fail(/^POST \/v1\/checkout\/sessions$/, "cut-after");
    const { status } = await customer.post("/billing/topups", { amount: 30, method: "card" });
    expect(status).toBe(502);
    const page = await eventually(realTiming, async () => {
      const [topup] = itemsOf((await customer.get("/billing/topups")).body);
      if (typeof topup?.redirect_url !== "string") throw new Error("the page is not found yet");
      return topup.redirect_url;
    });
    stripe.account.pay(stripe.account.orderOfPage(page));
    await hasBalance(customer, "30.00");
  });
});

describe("a webhook for Stripe's endpoint", () => {
  it.each([
    ["a wrong signature", () => ({ ...stripe.sign("{}"), body: "{ }" }), 400, /signature/],
    ["an old one", () => stripe.sign("{}", clock.epochMilliseconds() - 3_600_000), 400, /five minutes/],
    ["malformed JSON", () => stripe.sign('{"id":'), 400, /JSON/],
    ["a body above 1 MiB", () => stripe.sign("x".repeat(1024 * 1024 + 1)), 413, /1 MiB/],
    [
      "a foreign account",
      () => stripe.event("charge.succeeded", { object: "charge" }, { account: "acct_2" }),
      400,
      /another account/,
    ],
    ["the live mode", () => stripe.event("a", { object: "charge" }, { livemode: true }), 400, /other mode/],
  ] as const)("with %s is refused with a clear reason", async (_what, event, status, sentence) => {
    expect(await post(event())).toMatchObject({ status, body: { error: expect.stringMatching(sentence) } });
  });

  it("about an unknown payment is accepted without an effect", async () => {
    const unknown = { object: "charge", id: "ch_1", transfer_group: "payment-aaaaaa-unknown" };
    expect(await post(stripe.event("charge.succeeded", unknown))).toEqual({
      status: 200,
      body: { status: true, ignored_because: expect.stringContaining("not ordered here") },
    });
  });
});
