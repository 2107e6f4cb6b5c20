import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { openStripeShop, type StripeShop } from "../stripe-shop.fixture.ts";

const day = 86_400_000;
let shop: StripeShop;
beforeEach(async () => {
  shop = await openStripeShop();
});
afterEach(() => shop.close());

describe("a webhook of Stripe", () => {
  it("leads to one credit at once, however often and in whatever order events arrive", async () => {
    const { orderId, balance, event } = await shop.payer();
    // The next question would come in hours.
    shop.clock.advance(day / 2);
    await shop.runDue();
    shop.stripe.account.pay(orderId);
    await shop.runDue();
    expect(await balance()).toBe(0n);
    const charged = event("charge.succeeded", "charge");
    const completed = event();
    for (const one of [charged, completed, charged, completed])
      expect(await shop.post(one)).toMatchObject({ ignoredBecause: "" });
    await shop.runDue();
    expect(await balance()).toBe(5_000n);
    await shop.post(completed);
    await shop.runDue();
    expect(await balance()).toBe(5_000n);
    expect(await shop.countOf("BalanceCredited")).toBe(1);
  });

  it("that arrives at two processes at once makes one credit", async () => {
    const beside = await shop.service.beside({ clock: shop.clock, payments: shop.paymentOptions() });
    const { orderId, balance, event } = await shop.payer();
    await shop.runDue(shop.service, beside);
    shop.clock.advance(day / 2);
    await shop.runDue(shop.service, beside);
    shop.stripe.account.pay(orderId);
    const completed = event();
    await Promise.all([shop.post(completed), shop.post(completed, beside)]);
    await shop.runDue(shop.service, beside);
    expect(await balance()).toBe(5_000n);
    expect(await shop.countOf("BalanceCredited")).toBe(1);
    expect(await shop.countOf("PaymentSettled")).toBe(1);
  });

  it("that is lost, or a day late, changes nothing: the next question finds the payment", async () => {
    const { orderId, balance, event } = await shop.payer();
    await shop.runDue();
    shop.stripe.account.pay(orderId);
    shop.clock.advance(day);
    await shop.runDue();
    expect(await balance()).toBe(5_000n);
    expect(await shop.post(event())).toMatchObject({ ignoredBecause: "" });
    await shop.runDue();
    expect(await balance()).toBe(5_000n);
  });

  it("about a chargeback debits the account, also into debt, once", async () => {
    const { orderId, balance, event } = await shop.payer();
    shop.stripe.account.pay(orderId);
    shop.clock.advance(10_000);
    await shop.runDue();
    expect(await balance()).toBe(5_000n);
    shop.stripe.account.chargeBack(orderId);
    const dispute = event("charge.dispute.created", "dispute");
    for (let times = 0; times < 2; times += 1) {
      await shop.post(dispute);
      await shop.runDue();
    }
    expect(await balance()).toBe(0n);
    expect(await shop.countOf("PaymentReturned")).toBe(1);
  });

  it("about a payment of another system on the same account at Stripe is ignored", async () => {
    const foreign = { object: "charge", id: "ch_1", transfer_group: "order-of-a-shop" };
    const unknown = { object: "charge", id: "ch_2", transfer_group: "payment-aaaaaa-unknown" };
    const strange = [
      "payment-",
      "payment-a b",
      "payment-ä/../1",
      "payment-\0",
      "payment-\ud800",
      `payment-${"x".repeat(4_990)}`,
    ].map((group) => ({
      ...foreign,
      transfer_group: group,
    }));
    for (const object of [foreign, unknown, { object: "balance" }, ...strange])
      expect(await shop.post(shop.stripe.event("charge.succeeded", object))).toMatchObject({
        ignoredBecause: expect.stringMatching(/^The event is about /),
      });
    expect(await shop.countOf("PaymentSettled")).toBe(0);
  });

  it("is refused with a wrong signature, an old one, of another account, or without a configuration", async () => {
    const { orderId, balance, event } = await shop.payer();
    const { body, signature } = event();
    await expect(shop.post({ body: `${body} `, signature })).rejects.toThrow(/signature/);
    await expect(shop.post(shop.stripe.sign(body, shop.clock.epochMilliseconds() - 301_000))).rejects.toThrow(
      /five minutes/,
    );
    const other = shop.stripe.account.objectOf("session", orderId);
    await expect(
      shop.post(shop.stripe.event("checkout.session.completed", other, { account: "acct_other" })),
    ).rejects.toThrow(/another account/);
    const without = await shop.service.beside({ clock: shop.clock });
    await expect(shop.post(event(), without)).rejects.toThrow(/No webhooks/);
    expect(await balance()).toBe(0n);
  });
});
