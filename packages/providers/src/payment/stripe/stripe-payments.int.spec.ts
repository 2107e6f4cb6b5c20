import { manualClock, realTiming, type ManualClock } from "@hostledger/runtime";
import { freePort } from "@hostledger/runtime/testing";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { documentedVersion } from "../../testing/stripe/stripe-document.codec.ts";
import {
  startStripeServer,
  type StripeFault,
  type StripeServer,
} from "../../testing/stripe/stripe-server.ts";
import type { PaymentOrder } from "../payments.port.ts";
import { StripePayments } from "./stripe-payments.adapter.ts";

const day = 86_400_000;
let clock: ManualClock;
let server: StripeServer;
let payments: StripePayments;
beforeEach(async () => {
  clock = manualClock("2026-03-01T10:00:00.000000Z", realTiming);
  server = await startStripeServer({ nowMs: () => clock.epochMilliseconds() });
  payments = openPayments();
});
afterEach(async () => {
  await server.close();
  expect(server.undocumented).toEqual([]);
});

function openPayments(more: { readonly secretKey?: string; readonly url?: URL } = {}): StripePayments {
  const { url, secretKey } = server;
  return new StripePayments({
    url,
    secretKey,
    clock,
    timeLimitMs: 300,
    homeUrl: "https://hosting.example/",
    ...more,
  });
}

const orderOf = (orderId: string, amountCents = 5_000n): PaymentOrder => ({
  orderId,
  method: "card",
  amountCents,
  returnUrl: "https://hosting.example/billing",
});
const standingOf = async (orderId: string) => {
  const answer = await payments.inquire(orderId);
  return answer.outcome === "done" ? answer.value : answer;
};
const page = { outcome: "pending", redirectUrl: expect.stringMatching(/^https:\/\/checkout\.example\//) };

describe("an order at Stripe", () => {
  it("uses the API version whose document the tests check", async () => {
    const { Stripe } = await import("stripe");
    expect(Stripe.API_VERSION).toBe(documentedVersion);
  });

  it.each<StripeFault>(["no-answer", "cut-after", "huge", "no-json", "redirect"])(
    "whose answer is lost (%s) is unknown, found by its id, and not made twice",
    async (fault) => {
      server.fail(/^POST \/v1\/checkout\/sessions$/, fault);
      expect(await payments.order(orderOf("payment-a"))).toMatchObject({ outcome: "unknown" });
      expect(await standingOf("payment-a")).toMatchObject({ state: "pending" });
      expect(await payments.order(orderOf("payment-a"))).toEqual(page);
      expect(server.account.countsOf("payment-a")).toMatchObject({ sessions: 1 });
    },
  );

  it("that may not have arrived is unknown, and made by its repetition", async () => {
    server.fail(/^POST/, "cut-before");
    expect(await payments.order(orderOf("payment-a"))).toMatchObject({ outcome: "unknown" });
    expect(await standingOf("payment-a")).toEqual({ state: "none" });
    expect(await payments.order(orderOf("payment-a"))).toEqual(page);
  });

  it.each([409, 429, 500, 503])("is unknown after the status %i", async (status) => {
    server.fail(/^POST/, status);
    expect(await payments.order(orderOf("payment-a"))).toMatchObject({ outcome: "unknown" });
  });

  it.each([400, 401, 403])("is refused with Stripe's words after the status %i", async (status) => {
    server.fail(/^POST/, status);
    expect(await payments.order(orderOf("payment-a"))).toMatchObject({
      outcome: "refused",
      reason: "rejected",
      message: expect.stringContaining(`The test says ${String(status)}.`),
    });
  });

  it("is unreachable if nothing listens, and refused under a wrong key", async () => {
    const url = new URL(`http://127.0.0.1:${String(await freePort())}`);
    const unreachable = { outcome: "refused", reason: "unreachable" };
    expect(await openPayments({ url }).order(orderOf("payment-a"))).toMatchObject(unreachable);
    expect(await openPayments({ url }).inquire("payment-a")).toMatchObject(unreachable);
    const wrong = openPayments({ secretKey: "sk_test_anotheraccount" });
    expect(await wrong.order(orderOf("payment-a"))).toMatchObject({ outcome: "refused" });
    // A question that is refused says nothing about the order.
    expect(await wrong.inquire("payment-a")).toMatchObject({ outcome: "unknown" });
    expect(await wrong.findings()).toMatchObject([{ isRight: false }]);
    expect(await payments.findings()).toMatchObject([{ isRight: true }]);
  });

  it("is not made again under its key with another amount", async () => {
    await payments.order(orderOf("payment-a"));
    expect(await payments.order(orderOf("payment-a", 6_000n))).toMatchObject({ outcome: "unknown" });
    expect(server.account.countsOf("payment-a")).toMatchObject({ sessions: 1 });
  });

  it("is found among many pages", async () => {
    await payments.order(orderOf("payment-first"));
    for (let count = 0; count < 120; count += 1) {
      clock.advance(1_000);
      await payments.order(orderOf(`payment-${String(count)}`));
    }
    expect(await standingOf("payment-first")).toMatchObject({ state: "pending" });
  });
});

describe("a payment at Stripe", () => {
  it("settles with Stripe's fee, its reference, and the day on which the money is ours", async () => {
    await payments.order(orderOf("payment-a"));
    server.account.pay("payment-a");
    expect(await standingOf("payment-a")).toEqual({
      state: "settled",
      settlement: {
        amountCents: 5_000n,
        feeCents: 100n,
        valueDate: "2026-03-04",
        providerReference: expect.stringMatching(/^ch_test_/),
      },
    });
    // Long after the page is gone from the list.
    clock.advance(100 * day);
    expect(await standingOf("payment-a")).toMatchObject({ state: "settled" });
  });

  it("is pending until Stripe reports its fee, and while another card may be tried", async () => {
    await payments.order(orderOf("payment-a"));
    server.account.decline("payment-a");
    expect(await standingOf("payment-a")).toMatchObject({ state: "pending" });
    server.account.hideFees();
    server.account.pay("payment-a");
    expect(await standingOf("payment-a")).toEqual({ state: "pending", redirectUrl: "" });
  });

  it("fails when its page expires", async () => {
    await payments.order(orderOf("payment-a"));
    clock.advance(day + 1_000);
    expect(await standingOf("payment-a")).toMatchObject({ state: "failed", because: "expired" });
    await payments.order(orderOf("payment-b"));
    server.account.decline("payment-b");
    server.account.expire("payment-b");
    expect(await standingOf("payment-b")).toMatchObject({
      state: "failed",
      because: "declined",
      message: "Your card was declined.",
    });
  });

  it("is returned by a chargeback and by a refund at Stripe, not by a question of the bank or a dispute that was won", async () => {
    const disputes = {
      "payment-charged-back": { status: "needs_response", state: "returned" },
      "payment-lost": { status: "lost", state: "returned" },
      "payment-asked": { status: "warning_needs_response", state: "settled" },
      "payment-won": { status: "won", state: "settled" },
    };
    for (const [orderId, { status, state }] of Object.entries(disputes)) {
      await payments.order(orderOf(orderId));
      server.account.pay(orderId);
      server.account.chargeBack(orderId, { status });
      expect(await standingOf(orderId)).toMatchObject({ state });
    }
    await payments.order(orderOf("payment-back"));
    server.account.pay("payment-back");
    server.account.refundByHand("payment-back", 5_000);
    expect(await standingOf("payment-back")).toMatchObject({ state: "returned", valueDate: "2026-03-04" });
  });

  it("that we refunded in part is returned by a chargeback of the rest", async () => {
    await payments.order(orderOf("payment-a"));
    server.account.pay("payment-a");
    await payments.refund({
      orderId: "payment-a",
      refundId: "payment-a-refund-1",
      amountCents: 2_000n,
    });
    expect(await standingOf("payment-a")).toMatchObject({ state: "settled" });
    server.account.chargeBack("payment-a", { amount: 3_000 });
    expect(await standingOf("payment-a")).toMatchObject({
      state: "returned",
      amountCents: 3_000n,
      feeCents: 2_000n,
    });
    // The refund fails after the chargeback, which took no more for that.
    server.account.setRefunds("payment-a", "failed");
    expect(await standingOf("payment-a")).toMatchObject({ state: "returned", amountCents: 3_000n });
  });

  it("that Stripe took back in part is left to staff", async () => {
    await payments.order(orderOf("payment-a"));
    server.account.pay("payment-a");
    server.account.chargeBack("payment-a", { amount: 2_000 });
    expect(await payments.inquire("payment-a")).toMatchObject({
      outcome: "unknown",
      message: expect.stringContaining("20.00 euros of 50.00 euros"),
    });
  });

  it("that the customer made twice is for staff, until one of the two was sent back at Stripe", async () => {
    await payments.order(orderOf("payment-a"));
    server.account.pay("payment-a");
    const first = server.account.chargeOf("payment-a").id;
    const second = server.account.payAgain("payment-a");
    const twice = { outcome: "unknown", message: expect.stringContaining("paid twice") };
    expect(await payments.inquire("payment-a")).toMatchObject(twice);
    const refund = { orderId: "payment-a", refundId: "payment-a-refund-1", amountCents: 5_000n };
    expect(await payments.refund(refund)).toMatchObject({ outcome: "unknown" });
    server.account.refundByHand("payment-a", 2_000, first);
    expect(await payments.inquire("payment-a")).toMatchObject(twice);
    server.account.refundByHand("payment-a", 3_000, first);
    const settled = { state: "settled", settlement: { amountCents: 5_000n, providerReference: second } };
    expect(await standingOf("payment-a")).toMatchObject(settled);
    // The answer of a refund is lost: the refund is found at the charge that stayed, and made once.
    server.fail(/^POST \/v1\/refunds$/, "cut-after");
    expect(await payments.refund(refund)).toMatchObject({ outcome: "unknown" });
    expect(await payments.inquireRefund(refund)).toMatchObject({ value: { state: "settled" } });
    expect(await payments.refund(refund)).toMatchObject({ outcome: "done" });
    expect(server.account.countsOf("payment-a")).toMatchObject({ refunds: 3 });
    expect(await standingOf("payment-a")).toMatchObject(settled);
  });

  it("is returned by a refund at Stripe when the money has left, on that day", async () => {
    await payments.order(orderOf("payment-a"));
    server.account.pay("payment-a");
    server.account.refundByHand("payment-a", 5_000);
    const moved = await standingOf("payment-a");
    expect(moved).toMatchObject({ state: "returned", valueDate: "2026-03-04" });
    server.account.delayRefunds("payment-a");
    expect(await standingOf("payment-a")).toMatchObject({ state: "settled" });
  });

  it.each<StripeFault>(["no-answer", "cut-before", "huge", "no-json", 429, 500, 404])(
    "is not judged by a question whose answer is lost (%s)",
    async (fault) => {
      await payments.order(orderOf("payment-a"));
      server.account.pay("payment-a");
      server.fail(/^GET \/v1\/charges$/, fault);
      expect(await payments.inquire("payment-a")).toMatchObject({ outcome: "unknown" });
      expect(await standingOf("payment-a")).toMatchObject({ state: "settled" });
    },
  );
});

describe("a stored card at Stripe", () => {
  const stored = async () => {
    await payments.order({ ...orderOf("payment-first"), storesMethod: true });
    server.account.pay("payment-first");
    const standing = await standingOf("payment-first");
    const method = "settlement" in standing ? standing.settlement.storedMethod : undefined;
    expect(method).toMatchObject({ kind: "card", label: "Visa …4242" });
    return { returnUrl: "", storedMethod: method?.id ?? "" };
  };

  it("is charged once, also if the answer is lost", async () => {
    const order = { ...orderOf("payment-next"), ...(await stored()) };
    server.fail(/^POST \/v1\/payment_intents$/, "cut-after");
    expect(await payments.order(order)).toMatchObject({ outcome: "unknown" });
    expect(await standingOf("payment-next")).toMatchObject({ state: "settled" });
    expect(await payments.order(order)).toEqual({ outcome: "pending", redirectUrl: "" });
    expect(server.account.countsOf("payment-next")).toMatchObject({ paid: 1 });
  });

  it("whose bank declines fails, also if that answer is lost", async () => {
    const order = { ...orderOf("payment-declined"), ...(await stored()) };
    expect(await payments.order(order)).toMatchObject({ outcome: "refused", reason: "declined" });
    expect(await standingOf("payment-declined")).toMatchObject({ state: "failed", because: "declined" });
  });

  it("is removed, also if the answer is lost", async () => {
    const { storedMethod } = await stored();
    server.fail(/detach$/, "cut-after");
    expect(await payments.removeMethod(storedMethod)).toMatchObject({ outcome: "unknown" });
    expect(await payments.removeMethod(storedMethod)).toEqual({ outcome: "done" });
  });
});

describe("a refund at Stripe", () => {
  const refund = { orderId: "payment-a", refundId: "payment-a-refund-1", amountCents: 2_000n };
  beforeEach(async () => {
    await payments.order(orderOf("payment-a"));
    server.account.pay("payment-a");
  });

  it.each<StripeFault>(["no-answer", "cut-after", "huge", "no-json"])(
    "whose answer is lost (%s) is found, and made once, also days later",
    async (fault) => {
      server.fail(/^POST \/v1\/refunds$/, fault);
      expect(await payments.refund(refund)).toMatchObject({ outcome: "unknown" });
      expect(await payments.inquireRefund(refund)).toMatchObject({ value: { state: "settled" } });
      clock.advance(3 * day);
      expect(await payments.refund(refund)).toMatchObject({ outcome: "done" });
      expect(server.account.countsOf("payment-a")).toMatchObject({ refunds: 1 });
      // Money that we sent back ourselves was not taken back.
      expect(await standingOf("payment-a")).toMatchObject({ state: "settled" });
    },
  );

  it.each<StripeFault>([409, 429, 500, "cut-before"])("is unknown after %s", async (fault) => {
    server.fail(/^POST \/v1\/refunds$/, fault);
    expect(await payments.refund(refund)).toMatchObject({ outcome: "unknown" });
    expect(await payments.inquireRefund(refund)).toMatchObject({ value: { state: "none" } });
  });

  it("that the customer's bank does not take fails, also after it was made", async () => {
    expect(await payments.refund(refund)).toMatchObject({ outcome: "done" });
    server.account.setRefunds("payment-a", "pending");
    expect(await payments.inquireRefund(refund)).toMatchObject({ value: { state: "pending" } });
    server.account.setRefunds("payment-a", "failed");
    expect(await payments.inquireRefund(refund)).toMatchObject({
      value: { state: "failed", message: expect.stringContaining("expired_or_canceled_card") },
    });
  });
});

describe("the server of these tests", () => {
  it("reports fields that Stripe's document lacks", async () => {
    const other = await startStripeServer({ nowMs: () => clock.epochMilliseconds() });
    const headers = { authorization: `Bearer ${other.secretKey}` };
    await fetch(new URL("/v1/charges?order=a&limit=many", other.url), { headers });
    await fetch(new URL("/v1/orders", other.url), { headers });
    await other.close();
    expect(other.undocumented).toEqual([
      expect.stringContaining("additional properties"),
      expect.stringContaining("must be integer"),
      "GET /v1/orders",
    ]);
  });
});
