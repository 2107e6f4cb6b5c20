import { done, type PaymentProvider } from "@hostledger/providers";
import { describe, expect, it, onTestFinished } from "vitest";

import { openStripeShop, type StripeShop } from "../stripe-shop.fixture.ts";

/**
 * A refund of 20.00 EUR fails at the provider, before or after its payment of 50.00 EUR was charged back. The customer has what the
 * bank or the balance returned, and neither gains nor loses.
 */

const hour = 3_600_000;

/** Opens a shop whose customer paid 50.00 EUR, of which 20.00 EUR were refunded. */
async function refundedShop() {
  const shop = await openStripeShop({ isTimeTrusted: () => true });
  onTestFinished(() => shop.close());
  const payer = await shop.payer();
  const { account } = shop.stripe;
  account.pay(payer.orderId);
  const workFor = async (ms: number) => {
    shop.clock.advance(ms);
    await shop.runDue();
  };
  await workFor(hour);
  const paymentId = 1n;
  const order = { accountId: BigInt(payer.accountId), paymentId, amountCents: 2_000n, reason: "Sent back" };
  expect(await shop.service.staff().refundPayment(order)).toMatchObject({ balanceCents: 3_000n });
  await workFor(hour);
  expect(await shop.countOf("RefundSettled")).toBe(1);
  return {
    shop,
    payer,
    workFor,
    fail: () => {
      account.setRefunds(payer.orderId, "failed");
    },
    chargeBack: (amount?: number) => {
      account.chargeBack(payer.orderId, amount === undefined ? {} : { amount });
    },
  };
}

const day = 24 * hour;

describe("a refund that fails", () => {
  it("after a chargeback of the rest is credited again", async () => {
    const { shop, payer, workFor, fail, chargeBack } = await refundedShop();
    chargeBack(3_000);
    await workFor(day);
    expect(await payer.balance()).toBe(0n);
    fail();
    await workFor(day);
    expect(await payer.balance()).toBe(2_000n);
    expect([await shop.countOf("PaidOutReturned"), await shop.countOf("ReceiptCancelled")]).toEqual([1, 1]);
    expect(await shop.causes()).toEqual([]);
  });

  it("after a chargeback of the rest, before anybody asked, is credited again, and the rest alone is taken back", async () => {
    const { payer, workFor, fail, chargeBack } = await refundedShop();
    chargeBack(3_000);
    fail();
    await workFor(day);
    await workFor(day);
    expect([await payer.balance(), await payer.state()]).toEqual([2_000n, "returned"]);
  });

  it("before a chargeback of everything, before anybody asked, leaves nothing on the balance", async () => {
    const { payer, workFor, fail, chargeBack } = await refundedShop();
    fail();
    chargeBack();
    await workFor(day);
    await workFor(day);
    expect([await payer.balance(), await payer.state()]).toEqual([0n, "returned"]);
  });

  it("before a chargeback of everything leaves nothing on the balance", async () => {
    const { payer, workFor, fail, chargeBack } = await refundedShop();
    fail();
    await workFor(day);
    expect(await payer.balance()).toBe(5_000n);
    chargeBack();
    await workFor(day);
    expect(await payer.balance()).toBe(0n);
  });

  it("does not fail again after it was credited", async () => {
    const { shop, payer, workFor, fail, chargeBack } = await refundedShop();
    chargeBack(3_000);
    await workFor(day);
    fail();
    for (let days = 0; days < 40; days += 1) await workFor(day);
    expect(await payer.balance()).toBe(2_000n);
    expect(await shop.countOf("RefundRefused")).toBe(1);
  });
});

it("a refund of another amount than its order is recorded as nothing, and staff get a ticket", async () => {
  const opened: StripeShop[] = [];
  const stripe = (): PaymentProvider => {
    const provider = opened[0]?.paymentOptions().provider;
    if (provider === undefined) throw new Error("the shop is not open");
    return provider;
  };
  const settlement = { amountCents: 1_999n, providerReference: "re_1", valueDate: "2026-03-01" };
  const provider: PaymentProvider = {
    name: "stripe",
    methods: ["card"],
    order: (order) => stripe().order(order),
    inquire: (orderId) => stripe().inquire(orderId),
    removeMethod: (methodId) => stripe().removeMethod(methodId),
    refund: (order) => stripe().refund(order),
    listMovements: (question) => stripe().listMovements(question),
    inquireRefund: () => Promise.resolve(done({ state: "settled", settlement })),
  };
  const shop = await openStripeShop({ isTimeTrusted: () => true, payments: { provider, returnOrigins: [] } });
  onTestFinished(() => shop.close());
  opened.push(shop);
  const payer = await shop.payer();
  shop.stripe.account.pay(payer.orderId);
  shop.clock.advance(hour);
  await shop.runDue();
  const order = {
    accountId: BigInt(payer.accountId),
    paymentId: 1n,
    amountCents: 2_000n,
    reason: "Sent back",
  };
  await shop.service
    .staff()
    .refundPayment(order)
    .catch(() => undefined);
  for (let times = 0; times < 20; times += 1) {
    shop.clock.advance(hour);
    await shop.runDue();
  }
  expect([await shop.countOf("RefundSettled"), await payer.balance()]).toEqual([0, 3_000n]);
  expect(await shop.causes()).toContainEqual(expect.stringContaining("payments-stripe"));
});
