import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { openStripeShop, type StripePayer, type StripeShop } from "../stripe-shop.fixture.ts";

/** Money that moves at the payment provider after the engine has stopped asking about the payment. */

const day = 86_400_000;
let shop: StripeShop;
beforeEach(async () => {
  shop = await openStripeShop({ isTimeTrusted: () => true });
});
afterEach(() => shop.close());

/** Returns a customer whose page at Stripe expired, so that the payment failed. */
async function failedPayer(): Promise<StripePayer> {
  const payer = await shop.payer();
  await shop.runDue();
  shop.clock.advance(2 * day);
  await shop.runDue();
  expect(await payer.state()).toBe("failed");
  return payer;
}

describe("a payment that failed, and whose money comes later", () => {
  it("is credited once when webhooks come, however often and to two processes at once", async () => {
    const beside = await shop.service.beside({ clock: shop.clock, payments: shop.paymentOptions() });
    const { orderId, balance, state, event } = await failedPayer();
    shop.clock.advance(10 * day);
    shop.stripe.account.payLate(orderId);
    const charged = event("charge.succeeded", "charge");
    await Promise.all([shop.post(charged), shop.post(charged, beside)]);
    await shop.runDue(shop.service, beside);
    await shop.post(charged);
    await shop.runDue(shop.service, beside);
    expect(await balance()).toBe(5_000n);
    expect(await state()).toBe("settled");
    expect(await shop.countOf("PaymentSettled")).toBe(1);
    expect(await shop.countOf("BalanceCredited")).toBe(1);
  });

  it("is credited and debited if the money was charged back before the first inquiry", async () => {
    const { orderId, balance, state, event } = await failedPayer();
    shop.stripe.account.payLate(orderId);
    shop.stripe.account.chargeBack(orderId);
    await shop.post(event("charge.dispute.created", "dispute"));
    await shop.runDue();
    expect(await balance()).toBe(0n);
    expect(await state()).toBe("returned");
    expect([await shop.countOf("PaymentSettled"), await shop.countOf("PaymentReturned")]).toEqual([1, 1]);
  });

  it("is followed as any other afterwards: a chargeback is found without a webhook", async () => {
    const { orderId, balance, event } = await failedPayer();
    shop.stripe.account.payLate(orderId);
    await shop.post(event("charge.succeeded", "charge"));
    await shop.runDue();
    expect(await balance()).toBe(5_000n);
    shop.stripe.account.chargeBack(orderId);
    shop.clock.advance(2 * day);
    await shop.runDue();
    expect(await balance()).toBe(0n);
  });

  it("is inquired again when Stripe repeats a webhook whose inquiry had no answer", async () => {
    const { orderId, balance, event } = await failedPayer();
    shop.stripe.account.payLate(orderId);
    const charged = event("charge.succeeded", "charge");
    for (const fault of [500, "no-answer", "cut-after"] as const) {
      shop.stripe.fail(/^GET \/v1\/charges$/, fault);
      await expect(shop.post(charged)).rejects.toThrow(/did not return the state of the payment/);
      await shop.runDue();
      expect(await balance()).toBe(0n);
    }
    await shop.post(charged);
    await shop.runDue();
    expect(await balance()).toBe(5_000n);
  });

  it("stays failed while no money has come, despite webhooks", async () => {
    const { balance, state, event } = await failedPayer();
    for (const type of ["checkout.session.completed", "checkout.session.expired"])
      await shop.post(event(type));
    await shop.runDue();
    expect(await balance()).toBe(0n);
    expect(await state()).toBe("failed");
    expect(await shop.countOf("PaymentFailed")).toBe(1);
  });
});

it("a chargeback that comes after the last question about a payment debits the account when its webhook comes", async () => {
  const { orderId, balance, event } = await shop.payer();
  shop.stripe.account.pay(orderId);
  shop.clock.advance(10_000);
  await shop.runDue();
  expect(await balance()).toBe(5_000n);
  shop.clock.advance(200 * day);
  await shop.runDue();
  shop.stripe.account.chargeBack(orderId);
  shop.clock.advance(2 * day);
  await shop.runDue();
  expect(await balance()).toBe(5_000n);
  await shop.post(event("charge.dispute.created", "dispute"));
  await shop.runDue();
  expect(await balance()).toBe(0n);
  expect(await shop.countOf("PaymentReturned")).toBe(1);
});
