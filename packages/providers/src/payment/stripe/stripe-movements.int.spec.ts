import { manualClock, realTiming, type ManualClock } from "@hostledger/runtime";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { startStripeServer, type StripeServer } from "../../testing/stripe/stripe-server.ts";
import type { ProviderMovement } from "../payments.port.ts";
import { StripePayments } from "./stripe-payments.adapter.ts";

let clock: ManualClock;
let server: StripeServer;
let payments: StripePayments;
beforeEach(async () => {
  clock = manualClock("2026-03-01T10:00:00.000000Z", realTiming);
  server = await startStripeServer({ nowMs: () => clock.epochMilliseconds() });
  const { url, secretKey } = server;
  const homeUrl = "https://hosting.example/";
  payments = new StripePayments({ url, secretKey, timeLimitMs: 300, clock, homeUrl });
});
afterEach(async () => {
  await server.close();
  expect(server.undocumented).toEqual([]);
});

const day = { from: "2026-03-01T00:00:00.000000Z", to: "2026-03-02T00:00:00.000000Z" };
const list = (span = day) => payments.listMovements({ ...span, after: "" });
async function listed(): Promise<readonly ProviderMovement[]> {
  const page = await list();
  if (page.outcome !== "done") throw new Error(page.message);
  return page.value.movements;
}
/** Movements as kind, order, reference, amount and fee, the first one first. */
const briefly = (movements: readonly ProviderMovement[]) =>
  movements
    .map((one) => [one.kind, one.orderId, one.providerReference, one.amountCents, one.feeCents])
    .toReversed();

async function paid(orderId = "payment-a"): Promise<string> {
  await payments.order({ orderId, method: "card", amountCents: 5_000n, returnUrl: "" });
  server.account.pay(orderId);
  return server.account.chargeOf(orderId).id;
}

describe("the movements that Stripe lists", () => {
  it("have the payment behind a refund that was made by hand, and ask Stripe once for its charge", async () => {
    const charge = await paid();
    clock.advance(86_400_000);
    server.account.refundByHand("payment-a", 1_000);
    server.account.refundByHand("payment-a", 500);
    server.requests.length = 0;
    const span = { from: "2026-03-02T00:00:00.000000Z", to: "2026-03-03T00:00:00.000000Z" };
    expect(await list(span)).toMatchObject({
      outcome: "done",
      value: {
        movements: [
          { kind: "refund", orderId: "payment-a", refundId: "", amountCents: -500n },
          { kind: "refund", orderId: "payment-a", refundId: "", amountCents: -1_000n },
        ],
      },
    });
    expect(server.requests).toEqual(["GET /v1/balance_transactions", `GET /v1/charges/${charge}`]);
  });

  it("show a failed refund as money that goes out and comes back", async () => {
    const charge = await paid();
    await payments.refund({ orderId: "payment-a", refundId: "refund-a", amountCents: 2_000n });
    server.account.setRefunds("payment-a", "failed");
    const movements = await listed();
    expect(briefly(movements)).toEqual([
      ["settlement", "payment-a", charge, 5_000n, 100n],
      ["refund", "payment-a", expect.stringMatching(/^re_/), -2_000n, 0n],
      ["refund", "payment-a", expect.stringMatching(/^re_/), 2_000n, 0n],
    ]);
    expect(movements.map(({ refundId }) => refundId)).toEqual(["refund-a", "refund-a", ""]);
  });

  it("show a won dispute as money that goes out and comes back, with Stripe's fees", async () => {
    const charge = await paid();
    server.account.chargeBack("payment-a", { status: "won" });
    expect(briefly(await listed()).slice(1)).toEqual([
      ["return", "payment-a", charge, -5_000n, 2_000n],
      ["return", "payment-a", charge, 5_000n, 2_000n],
    ]);
  });

  it("include payments without an order of ours, and payouts, without an order id", async () => {
    const charge = server.account.chargeElsewhere(1_200);
    const payout = server.account.payOut(900);
    expect(briefly(await listed())).toEqual([
      ["settlement", "", charge.id, 1_200n, 43n],
      ["payout", "", payout, -900n, 0n],
    ]);
  });

  it("leave out a payment whose fee is unknown to Stripe", async () => {
    server.account.hideFees();
    await paid();
    expect(await listed()).toEqual([]);
  });

  it("cover whole seconds, as Stripe's times do", async () => {
    await paid();
    const at = "2026-03-01T10:00:00.000000Z";
    const late = "2026-03-01T10:00:00.001000Z";
    expect(await list({ from: at, to: late })).toMatchObject({ value: { movements: [{ at }] } });
    expect(await list({ from: late, to: day.to })).toMatchObject({ value: { movements: [] } });
  });

  it.each(["no-answer", "cut-before", "cut-after", "huge", "no-json", "redirect", 429, 500] as const)(
    "are unknown, not none, after the fault %s",
    async (fault) => {
      await paid();
      server.fail(/^GET \/v1\/balance_transactions$/, fault);
      expect(await list()).toMatchObject({ outcome: "unknown", message: expect.stringMatching(/./) });
      expect(await list()).toMatchObject({
        outcome: "done",
        value: { movements: [{ amountCents: 5_000n }] },
      });
    },
  );

  it.each(["no-answer", 401, 500] as const)(
    "are unknown while Stripe does not return the refunded charge (%s)",
    async (fault) => {
      await paid();
      clock.advance(86_400_000);
      server.account.refundByHand("payment-a", 1_000);
      server.fail(/^GET \/v1\/charges\/./, fault);
      const span = { from: "2026-03-02T00:00:00.000000Z", to: "2026-03-03T00:00:00.000000Z" };
      expect(await list(span)).toMatchObject({ outcome: "unknown" });
      expect(await list(span)).toMatchObject({ outcome: "done" });
    },
  );

  it("are refused with a key that Stripe refuses", async () => {
    const { url } = server;
    const access = { url, secretKey: "rk_test_wrong", timeLimitMs: 300, clock, homeUrl: "" };
    expect(await new StripePayments(access).listMovements({ ...day, after: "" })).toMatchObject({
      outcome: "refused",
      reason: "rejected",
    });
  });

  it("are unreachable if nothing answers", async () => {
    await server.close();
    expect(await list()).toMatchObject({ outcome: "refused", reason: "unreachable" });
  });
});
