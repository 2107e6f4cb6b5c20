import { randomIds } from "@hostledger/runtime";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import {
  openStripeShop,
  type AccountProcess,
  type StripePayer,
  type StripeShop,
} from "../stripe-shop.fixture.ts";

/** The daily comparison of what Stripe lists with the payments of the books. */

const hour = 3_600_000;
const day = 24 * hour;
let shop: StripeShop;
let isRewound = false;
const options = {
  isTimeTrusted: () => true,
  comparisonHours: 24,
  refusesWrites: () => isRewound,
  // Only the spec compares.
  workIntervalMs: hour,
};
beforeEach(async () => {
  isRewound = false;
  shop = await openStripeShop(options);
});
afterEach(() => shop.close());

/** Compares a minute later if a comparison is due. @returns the steps of the work */
async function compare(of: AccountProcess = shop.service) {
  shop.clock.advance(60_000);
  await of.projector.after(await shop.service.store.lastPosition());
  return of.work.attend({ kind: "comparison", key: "payments" });
}

/** Tickets about differences, as kind and what they are about. */
const differences = async () =>
  (await shop.causes())
    .filter((cause) => cause.startsWith("ticketcause-drift-"))
    .map((cause) => cause.replace("ticketcause-drift-", ""));

/** The results of all comparisons, the last one last. */
async function results(): Promise<readonly unknown[]> {
  const found: unknown[] = [];
  for await (const { events, caughtUp } of shop.service.store.subscribe({ from: "start" })) {
    for (const { type, data } of events) if (type.startsWith("BooksCompared")) found.push(JSON.parse(data));
    if (caughtUp) break;
  }
  return found;
}

/** A customer whose page expired, so that nobody asks about the payment any more. */
async function failedPayer(): Promise<StripePayer> {
  const payer = await shop.payer();
  await shop.runDue();
  shop.clock.advance(2 * day);
  await shop.runDue();
  expect(await payer.state()).toBe("failed");
  return payer;
}

async function paidPayer(): Promise<StripePayer> {
  const payer = await shop.payer();
  shop.stripe.account.pay(payer.orderId);
  shop.clock.advance(3_000);
  await shop.runDue();
  expect(await payer.balance()).toBe(5_000n);
  return payer;
}

describe("the daily comparison of payments", () => {
  it("finds a payment that was settled after it failed, without a webhook, and credits it once", async () => {
    const { orderId, balance, state } = await failedPayer();
    shop.stripe.account.payLate(orderId);
    expect(await compare()).toMatchObject({ steps: ["compared"], end: "waiting" });
    await shop.runDue();
    expect([await balance(), await state()]).toEqual([5_000n, "settled"]);
    shop.clock.advance(day);
    expect(await compare()).toMatchObject({ steps: ["compared"] });
    await shop.runDue();
    expect([await balance(), await shop.countOf("BalanceCredited")]).toEqual([5_000n, 1]);
    expect(await differences()).toEqual([]);
  });

  it("finds a chargeback that no other work would find", async () => {
    const { orderId, balance, state } = await paidPayer();
    shop.clock.advance(130 * day);
    await shop.runDue();
    shop.stripe.account.chargeBack(orderId);
    await compare();
    await shop.runDue();
    expect([await balance(), await state(), await differences()]).toEqual([0n, "returned", []]);
  });

  it("is one event a day with the listed payments, without those of other installations", async () => {
    await paidPayer();
    const { account } = shop.stripe;
    account.chargeElsewhere(900, "payment-zzzzzz-1");
    account.payOut(4_000);
    shop.clock.advance(2 * hour);
    expect(await compare()).toMatchObject({ steps: ["compared"] });
    shop.clock.advance(23 * hour);
    expect(await compare()).toMatchObject({ steps: [], end: "waiting" });
    const [result, ...others] = await results();
    expect(others).toEqual([]);
    expect(result).toMatchObject({
      part: "payments",
      critical: 0,
      unanswered: 0,
      listed: [{ provider: "stripe", from: "2025-12-31T12:01:03.000000Z", movements: 3, foreign: 1 }],
    });
    expect(await differences()).toEqual([]);
    // The next one begins three days before this one.
    shop.clock.advance(hour);
    await compare();
    expect((await results()).at(-1)).toMatchObject({
      listed: [{ from: "2026-02-26T12:01:03.000000Z", movements: 3 }],
    });
  });

  it.each([
    {
      what: "a payment without an order",
      plant: () => shop.stripe.account.chargeElsewhere(1_200).id,
      kind: "payment-unknown",
    },
    {
      what: "a payment with an order of ours that the books lack",
      plant: ({ orderId }: StripePayer) => {
        const lost = `${orderId.slice(0, "payment-k3x7m2".length)}-lost`;
        shop.stripe.account.chargeElsewhere(900, lost);
        return lost;
      },
      kind: "payment-unknown",
    },
    {
      what: "a payment that the customer made twice",
      plant: ({ orderId }: StripePayer) => {
        shop.stripe.account.chargeAgain(orderId);
        return orderId;
      },
      kind: "payment-doubled",
    },
    {
      what: "a refund of a part that was made by hand",
      plant: ({ orderId }: StripePayer) => {
        shop.stripe.account.refundByHand(orderId, 1_000);
        return orderId;
      },
      kind: "payment-return",
    },
    {
      what: "a payment that Stripe does not have",
      plant: ({ orderId }: StripePayer) => {
        shop.stripe.account.forget(orderId);
        return orderId;
      },
      kind: "payment-missing",
    },
  ])("opens one ticket about $what, not one a day", async ({ plant, kind }) => {
    const resource = plant(await paidPayer());
    await compare();
    // What is younger than an hour may be on its way.
    expect(await differences()).toEqual([]);
    for (let days = 0; days < 3; days += 1) {
      shop.clock.advance(day);
      expect(await compare()).toMatchObject({ steps: ["compared"] });
      expect(await differences()).toEqual([`${kind}-${resource}`]);
    }
    expect(await shop.countOf("CriticalDifferencesChanged")).toBe(1);
    expect((await results()).at(-1)).toMatchObject({ critical: 1 });
  });

  it("opens a ticket about money that was credited to another account, until that is mended", async () => {
    const staff = shop.service.staff();
    const { accountId: other } = await staff.openAccount({ name: "Ben", vatExempt: false });
    const { orderId, accountId, balance } = await shop.payer();
    shop.stripe.account.pay(orderId);
    const reference = shop.stripe.account.chargeOf(orderId).id;
    await staff.topUpAccount({ accountId: other, amountCents: 5_000n, reference });
    shop.clock.advance(2 * hour);
    await shop.runDue();
    shop.clock.advance(2 * hour);
    await compare();
    expect(await differences()).toEqual([`payment-account-${orderId}`]);
    await staff.reverseTopUp({ accountId: other, reference, reason: "It was Ada's" });
    shop.clock.advance(day);
    await shop.runDue();
    expect(await balance()).toBe(5_000n);
    await compare();
    expect(await shop.countOf("CriticalDifferencesChanged")).toBe(2);
    expect(accountId).toBeGreaterThan(0);
  });

  it("records nothing without the provider's list, tries again after pauses, and opens one ticket in the end", async () => {
    await paidPayer();
    shop.stripe.fail(/^GET \/v1\/balance_transactions$/, 500, 12);
    for (let attempts = 0; attempts < 12; attempts += 1) {
      expect(await compare()).toMatchObject({ end: "failed", retry: { firstMs: 60_000, longestMs: hour } });
      expect(await results()).toEqual([]);
    }
    const tickets = (await shop.causes()).filter((cause) => cause.includes("unanswered-payments-stripe"));
    expect(tickets).toEqual(["ticketcause-unanswered-payments-stripe-2026-03-01"]);
    expect(await compare()).toMatchObject({ steps: ["compared"] });
  });

  it("names what could not be compared, and tries again the next day", async () => {
    const { orderId, state } = await failedPayer();
    shop.stripe.account.payLate(orderId);
    shop.clock.advance(2 * hour);
    shop.stripe.fail(/^GET \/v1\/charges$/, 500);
    expect(await compare()).toMatchObject({ steps: ["compared"] });
    expect((await results()).at(-1)).toMatchObject({ critical: 0, unanswered: 1 });
    expect([await state(), await differences()]).toEqual(["failed", []]);
    shop.clock.advance(day);
    await compare();
    await shop.runDue();
    expect(await state()).toBe("settled");
  });

  it("compares and records nothing while the store is an older backup", async () => {
    const { orderId, state } = await failedPayer();
    shop.stripe.account.payLate(orderId);
    isRewound = true;
    const before = await shop.service.store.lastPosition();
    expect(await compare()).toMatchObject({ steps: ["postponed"], end: "waiting" });
    expect(await shop.service.store.lastPosition()).toEqual(before);
    isRewound = false;
    await compare();
    await shop.runDue();
    expect(await state()).toBe("settled");
  });

  it("is one event and one ticket if two processes compare at once", async () => {
    const beside = await shop.service.beside({
      clock: shop.clock,
      payments: shop.paymentOptions(),
      ...options,
    });
    const { balance, orderId } = await failedPayer();
    shop.stripe.account.payLate(orderId);
    shop.stripe.account.chargeElsewhere(1_200);
    shop.clock.advance(2 * hour);
    await Promise.all([compare(), compare(beside)]);
    await shop.runDue(shop.service, beside);
    expect(await balance()).toBe(5_000n);
    expect(await shop.countOf("PaymentSettled")).toBe(1);
    expect(await shop.countOf("BalanceCredited")).toBe(1);
    expect((await results()).length).toBe(1);
    expect(await differences()).toHaveLength(1);
    expect(await shop.countOf("CriticalDifferencesChanged")).toBe(1);
  });

  it("reads all pages, and opens one ticket where another shop uses the same account at the provider", async () => {
    const { balance, orderId } = await failedPayer();
    shop.stripe.account.payLate(orderId);
    for (let made = 0; made < 250; made += 1) shop.stripe.account.chargeElsewhere(900);
    shop.clock.advance(2 * hour);
    await compare();
    await shop.runDue();
    expect((await results()).at(-1)).toMatchObject({ critical: 1, listed: [{ movements: 251 }] });
    expect([await balance(), await differences()]).toEqual([5_000n, ["payment-unknown-others-at-stripe"]]);
    for (let made = 0; made < 30; made += 1) shop.stripe.account.chargeElsewhere(900);
    shop.clock.advance(day);
    await compare();
    expect(await shop.countOf("CriticalDifferencesChanged")).toBe(1);
  });

  it("records nothing if one page is not given, and looks back over an outage", async () => {
    await paidPayer();
    await compare();
    for (let made = 0; made < 120; made += 1) shop.stripe.account.chargeElsewhere(900, "payment-zzzzzz-1");
    shop.clock.advance(10 * day);
    shop.stripe.fail(/^GET \/v1\/balance_transactions$/, "cut-after");
    expect(await compare()).toMatchObject({ end: "failed", code: "payment-unavailable" });
    expect(await results()).toHaveLength(1);
    await compare();
    expect((await results()).at(-1)).toMatchObject({
      listed: [{ from: "2026-02-26T10:01:03.000000Z", movements: 121, foreign: 120 }],
    });
  });

  it("also compares the provider that took payments before", async () => {
    const { orderId, state } = await failedPayer();
    shop.stripe.account.payLate(orderId);
    const { provider: formerProvider, returnOrigins } = shop.paymentOptions();
    const payments = { formerProvider, returnOrigins };
    const beside = await shop.service.beside({ clock: shop.clock, ...options, payments });
    await compare(beside);
    await shop.runDue(shop.service, beside);
    expect(await state()).toBe("settled");
    expect(await results()).toMatchObject([{ listed: [{ provider: "stripe", movements: 1 }] }]);
  });

  it("names a payment whose events cannot be read, and compares the others", async () => {
    const [damaged, other] = [await failedPayer(), await failedPayer()];
    for (const { orderId } of [damaged, other]) shop.stripe.account.payLate(orderId);
    const event = { id: randomIds.uuid(), type: "PaymentFailed.v1", data: "{}", metadata: "{}" };
    await shop.service.store.append(damaged.orderId, "any", [event]);
    await compare();
    await shop.runDue();
    expect((await results()).at(-1)).toMatchObject({ critical: 0, unanswered: 1 });
    expect(await other.state()).toBe("settled");
  });
});
