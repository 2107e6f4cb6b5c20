import { done, type PaymentProvider, type PaymentStanding } from "@hostledger/providers";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import {
  openStripeShop,
  type AccountProcess,
  type StripePayer,
  type StripeShop,
} from "../stripe-shop.fixture.ts";

/** The operator changes the payment provider while payments through the former one are under way. */

const day = 86_400_000;
let shop: StripeShop;
/** True after the operator stopped the process that has Stripe. */
let isStopped: boolean;
beforeEach(async () => {
  isStopped = false;
  shop = await openStripeShop({ isTimeTrusted: () => true, refusesWrites: () => isStopped });
});
afterEach(() => shop.close());

/** A provider that says of every payment that its money came, and records what it was asked. */
function strangerTo(asked: string[]): PaymentProvider {
  const settlement = {
    amountCents: 9_900n,
    feeCents: 0n,
    providerReference: "stranger-1",
    valueDate: "2026-03-01",
  };
  const standing: PaymentStanding = { state: "settled", settlement };
  const call =
    <Answer>(name: string, answer: Answer) =>
    () => {
      asked.push(name);
      return Promise.resolve(answer);
    };
  return {
    name: "stranger",
    methods: ["card"],
    order: call("order", done(settlement)),
    inquire: call("inquire", done(standing)),
    removeMethod: call("removeMethod", done(undefined)),
    refund: call("refund", done({ ...settlement })),
    inquireRefund: call("inquireRefund", done({ state: "settled", settlement } as const)),
    listMovements: call("listMovements", done({ movements: [], next: "" })),
  };
}

async function changedTo(
  payments: Parameters<StripeShop["service"]["beside"]>[0],
): Promise<Awaited<ReturnType<StripeShop["service"]["beside"]>>> {
  isStopped = true;
  return shop.service.beside({ clock: shop.clock, isTimeTrusted: () => true, ...payments });
}

/** Two customers at Stripe: one has paid and is credited, the page of the other one is open. */
async function twoPayers(): Promise<{ readonly paid: StripePayer; readonly paying: StripePayer }> {
  const paid = await shop.payer();
  const paying = await shop.payer();
  shop.stripe.account.pay(paid.orderId);
  shop.clock.advance(10_000);
  await shop.runDue();
  expect(await paid.balance()).toBe(5_000n);
  return { paid, paying };
}

async function workFor(days: number, process: AccountProcess): Promise<void> {
  for (let passed = 0; passed < days; passed += 1) {
    shop.clock.advance(day);
    await shop.runDue(process);
  }
}

describe("after a change of the payment provider", () => {
  it.each(["another one", "none"] as const)(
    "to %s, older payments wait without calls elsewhere, and staff get one ticket",
    async (to) => {
      const { paid, paying } = await twoPayers();
      const asked: string[] = [];
      const payments = to === "none" ? undefined : { provider: strangerTo(asked), returnOrigins: [] };
      const changed = await changedTo(payments === undefined ? {} : { payments });
      shop.stripe.account.pay(paying.orderId);
      shop.stripe.account.chargeBack(paid.orderId);
      const before = shop.stripe.requests.length;
      await workFor(5, changed);
      expect(asked).toEqual([]);
      expect(shop.stripe.requests).toHaveLength(before);
      expect([await paid.balance(), await paying.balance()]).toEqual([5_000n, 0n]);
      expect(await shop.causes()).toEqual(["ticketcause-unanswered-payments-without-stripe"]);
      // The operator configures Stripe again.
      isStopped = false;
      shop.clock.advance(day);
      await shop.runDue();
      expect([await paid.balance(), await paying.balance()]).toEqual([0n, 5_000n]);
    },
  );

  it("whose keys stay configured, older payments are followed there, with webhooks, and new ones go to the new provider", async () => {
    const { paid, paying } = await twoPayers();
    const asked: string[] = [];
    const { provider: formerProvider, notices } = shop.paymentOptions();
    const changed = await changedTo({
      payments: {
        provider: strangerTo(asked),
        formerProvider,
        returnOrigins: [],
        ...(notices && { notices }),
      },
    });
    shop.stripe.account.pay(paying.orderId);
    await shop.post(paying.event("charge.succeeded", "charge"), changed);
    await shop.runDue(changed);
    expect(await paying.balance()).toBe(5_000n);
    shop.stripe.account.chargeBack(paid.orderId);
    await workFor(1, changed);
    expect(await paid.balance()).toBe(0n);
    expect(asked).toEqual([]);
    const caller = { kind: "account", accountId: paid.accountId, keyId: 1 } as const;
    await changed.payments(caller).requestTopUp({ amountCents: 5_000n, method: "card" });
    expect(asked[0]).toBe("order");
    expect(await shop.causes()).toEqual([]);
  });
});
