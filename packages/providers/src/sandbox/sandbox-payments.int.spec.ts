import { afterEach, beforeEach, describe, expect, it } from "vitest";

import type { PaymentOrder, PaymentProvider } from "../payment/payments.port.ts";
import { pending, SandboxFixture, soon } from "./open-sandbox.fixture.ts";
import { paymentFateOf, paymentLabels, refundFateOf, refundFates } from "./payment-labels.ts";

let fixture: SandboxFixture;
let payments: PaymentProvider;
beforeEach(() => {
  fixture = new SandboxFixture();
  ({ payments } = fixture.open());
});
afterEach(() => {
  fixture.close();
});

const orderOf = (amountCents: bigint, label = "", orderId = `payment-${label}-1`): PaymentOrder => ({
  orderId,
  method: "card",
  amountCents,
  returnUrl: "https://hosting.example/billing",
});
const standing = async ({ orderId }: PaymentOrder) => payments.inquire(orderId);
const settled = (amountCents: bigint) => ({
  outcome: "done",
  value: { state: "settled", settlement: { amountCents } },
});
const none = { outcome: "done", value: { state: "none" } };

describe("the fate of a sandbox payment", () => {
  it.each(paymentLabels.map(({ label, cents }) => [label, cents] as const))(
    "is chosen by the label %s or an amount with %d cents",
    (label, cents) => {
      expect(paymentFateOf(`payment-${label}-1`, 1_000n)).toBe(label);
      expect(paymentFateOf("payment-1", 1_000n + cents)).toBe(label);
    },
  );

  it("is to be paid for any other amount", () => {
    for (const amountCents of [100n, 109n, 199n, 5_000n])
      expect(paymentFateOf("payment-k3x7m2-1", amountCents)).toBe("paid");
  });
});

describe("a sandbox payment", () => {
  it("sends the customer straight back", async () => {
    expect(await payments.order(orderOf(5_000n))).toEqual({
      outcome: "pending",
      redirectUrl: "https://hosting.example/billing",
    });
  });

  it("whose answer is lost was made", async () => {
    const order = orderOf(1_002n);
    expect(await soon(payments.order(order))).toBe(pending);
    fixture.clock.epochMs += 1_000;
    expect(await standing(order)).toMatchObject(settled(1_002n));
  });

  it("in limbo is unknown for a while, then made", async () => {
    const order = orderOf(1_003n);
    expect(await soon(payments.order(order))).toBe(pending);
    expect(await standing(order)).toMatchObject({ outcome: "unknown" });
    fixture.clock.epochMs += 60_000;
    expect(await standing(order)).toMatchObject(settled(1_003n));
  });

  it("that is late is made once after all, also if the order is repeated", async () => {
    const order = orderOf(1_004n);
    expect(await soon(payments.order(order))).toBe(pending);
    expect(await standing(order)).toEqual(none);
    expect(await soon(payments.order(order))).toBe(pending);
    fixture.clock.epochMs += 5_000;
    const made = await standing(order);
    expect(made).toMatchObject(settled(1_004n));
    expect(await payments.order(order)).toMatchObject({ outcome: "pending" });
    expect(await standing(order)).toEqual(made);
  });

  it.each([
    ["partial", 1_005n, 503n],
    ["overpaid", 1_006n, 2_012n],
  ] as const)("that is %s brings another amount", async (_fate, asked, paid) => {
    const order = orderOf(asked);
    await payments.order(order);
    fixture.clock.epochMs += 1_000;
    expect(await standing(order)).toMatchObject(settled(paid));
  });

  it("on a stored method needs no page, and its result follows the label too", async () => {
    const first = { ...orderOf(5_000n, "", "payment-first-lost"), storesMethod: true };
    void payments.order(first);
    await soon(payments.inquire(first.orderId));
    fixture.clock.epochMs += 1_000;
    const storedMethod = "method-payment-first-lost";
    expect(await standing(first)).toMatchObject({
      value: { settlement: { storedMethod: { id: storedMethod, label: "Sandbox …4242" } } },
    });
    const next = { ...orderOf(5_000n, "", "payment-next"), returnUrl: "", storedMethod };
    expect(await payments.order(next)).toEqual({ outcome: "pending", redirectUrl: "" });
    const revoked = { ...next, orderId: "payment-mandate-revoked-2" };
    expect(await payments.order(revoked)).toMatchObject({ reason: "mandate-revoked" });
    // The answer about a method of a lost order is lost, too; the method is removed.
    expect(await soon(payments.removeMethod(storedMethod))).toBe(pending);
    const late = { ...next, orderId: "payment-late-to-come" };
    expect(await payments.order(late)).toMatchObject({ reason: "mandate-revoked" });
    expect(await payments.removeMethod(storedMethod)).toEqual({ outcome: "done" });
    // A payment that was ordered before is still made.
    fixture.clock.epochMs += 1_000;
    expect(await standing(next)).toMatchObject(settled(5_000n));
  });

  it("exists after the sandbox was reopened", async () => {
    const order = orderOf(5_000n);
    await payments.order(order);
    fixture.clock.epochMs += 1_000;
    const before = await standing(order);
    ({ payments } = fixture.open());
    expect(await standing(order)).toEqual(before);
  });
});

describe("a sandbox refund", () => {
  const refundOf = async (amountCents: bigint) => {
    const order = orderOf(5_000n);
    await payments.order(order);
    fixture.clock.epochMs += 1_000;
    return { orderId: order.orderId, refundId: `refund-${String(amountCents)}`, amountCents };
  };
  const made = (amountCents: bigint) => ({
    outcome: "done",
    value: { state: "settled", settlement: { amountCents } },
  });

  it.each(refundFates.map(({ fate, cents }) => [fate, cents] as const))(
    "has the fate %s by an amount with %d cents",
    (fate, cents) => {
      expect(refundFateOf(1_000n + cents)).toBe(fate);
    },
  );

  it("is refused and not stored", async () => {
    const refund = await refundOf(1_001n);
    expect(await payments.refund(refund)).toMatchObject({ outcome: "refused", reason: "rejected" });
    expect(await payments.inquireRefund(refund)).toEqual(none);
  });

  it("whose answer is lost was made", async () => {
    const refund = await refundOf(1_002n);
    expect(await soon(payments.refund(refund))).toBe(pending);
    expect(await payments.inquireRefund(refund)).toMatchObject(made(1_002n));
  });

  it("in limbo is unknown for a while, then made", async () => {
    const refund = await refundOf(1_003n);
    expect(await soon(payments.refund(refund))).toBe(pending);
    expect(await payments.inquireRefund(refund)).toMatchObject({ outcome: "unknown" });
    fixture.clock.epochMs += 60_000;
    expect(await payments.inquireRefund(refund)).toMatchObject(made(1_003n));
  });

  it("that is late is made once after all, also if it is repeated", async () => {
    const refund = await refundOf(1_004n);
    expect(await soon(payments.refund(refund))).toBe(pending);
    expect(await payments.inquireRefund(refund)).toEqual(none);
    expect(await soon(payments.refund(refund))).toBe(pending);
    fixture.clock.epochMs += 5_000;
    expect(await payments.inquireRefund(refund)).toMatchObject(made(1_004n));
    expect(await payments.refund({ ...refund, refundId: "another", amountCents: 4_000n })).toMatchObject({
      outcome: "refused",
    });
  });

  it("that comes back has failed in the end, and its money can be refunded again", async () => {
    const refund = await refundOf(5_000n - 92n);
    expect(await payments.refund(refund)).toMatchObject({ outcome: "done" });
    fixture.clock.epochMs += 5_000;
    expect(await payments.inquireRefund(refund)).toMatchObject({
      outcome: "done",
      value: { state: "failed" },
    });
    expect(await payments.refund({ ...refund, refundId: "again", amountCents: 5_000n })).toMatchObject({
      outcome: "done",
    });
  });
});

describe("the movements of the sandbox", () => {
  const span = { from: "2026-11-21T00:00:00.000000Z", to: "2026-11-22T00:00:00.000000Z", after: "" };
  const kinds = async () => {
    const page = await payments.listMovements(span);
    return page.outcome === "done"
      ? page.value.movements.map(({ kind, amountCents }) => [kind, amountCents])
      : page;
  };

  it.each([
    ["limbo", 1_003n, 60_000],
    ["late", 1_004n, 5_000],
  ])("have a payment (%s) once it is made", async (_fate, amountCents, waitMs) => {
    const order = orderOf(amountCents);
    void payments.order(order);
    await soon(payments.inquire(order.orderId));
    fixture.clock.epochMs += 1_000;
    expect(await kinds()).toEqual([]);
    fixture.clock.epochMs += waitMs;
    expect(await kinds()).toEqual([["settlement", amountCents]]);
  });

  it("contain a refund that came back twice, and a chargeback of the rest after a refund", async () => {
    const [order, charged] = [orderOf(5_000n), orderOf(9_007n, "", "payment-2")];
    await payments.order(order);
    await payments.order(charged);
    fixture.clock.epochMs += 1_000;
    await payments.refund({ orderId: order.orderId, refundId: "refund-1", amountCents: 1_008n });
    await payments.refund({ orderId: charged.orderId, refundId: "refund-2", amountCents: 2_000n });
    fixture.clock.epochMs += 5_000;
    // Movements of one moment are in the order of their ids.
    expect(await kinds()).toEqual([
      ["refund", -1_008n],
      ["refund", -2_000n],
      ["settlement", 5_000n],
      ["settlement", 9_007n],
      ["refund", 1_008n],
      ["return", -7_007n],
    ]);
  });

  it("are refused as unreachable while the sandbox is closed", async () => {
    fixture.close();
    expect(await payments.listMovements(span)).toMatchObject({ outcome: "refused", reason: "unreachable" });
  });
});
