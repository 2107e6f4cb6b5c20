import { afterEach, beforeEach, describe, expect, it } from "vitest";

import type { PaymentOrder, RefundOrder } from "../payment/payments.port.ts";
import { describeMovements } from "./movements.contract.ts";
import type { PaymentsUnderTest } from "./payments-under-test.fixture.ts";

export type { PaymentsUnderTest };

/** Tests the behaviour required of every payment provider, simulated or real. */
export function describePaymentsContract(
  name: string,
  make: () => Promise<PaymentsUnderTest> | PaymentsUnderTest,
): void {
  describe(`payments contract: ${name}`, () => {
    let underTest: PaymentsUnderTest;
    beforeEach(async () => {
      underTest = await make();
    });
    afterEach(async () => {
      await underTest.close();
    });

    const standingOf = async ({ orderId }: PaymentOrder) => {
      const answer = await underTest.payments.inquire(orderId);
      return answer.outcome === "done" ? answer.value : answer;
    };

    it("has a name and methods", () => {
      expect(underTest.payments.name).toMatch(/^[a-z]{1,50}$/);
      expect(underTest.payments.methods.length).toBeGreaterThan(0);
      for (const method of underTest.payments.methods) expect(method).toMatch(/^[a-z_-]{1,50}$/);
    });

    /** Has a customer pay and store the method. */
    const storeMethod = async () => {
      const order = { ...underTest.orderOf("paid"), storesMethod: true };
      await underTest.payments.order(order);
      await underTest.pay(order);
      const standing = await standingOf(order);
      const stored = "settlement" in standing ? standing.settlement.storedMethod : undefined;
      if (stored === undefined) throw new Error("the provider stored no method");
      return { order, stored, standing };
    };

    it("answers that an unknown order does not exist", async () => {
      expect(await standingOf(underTest.orderOf("paid"))).toEqual({ state: "none" });
    });

    it("accepts an order, and settles it with its amount, a fee, a reference and a day", async () => {
      const order = underTest.orderOf("paid");
      expect(await underTest.payments.order(order)).toMatchObject({
        outcome: "pending",
        redirectUrl: expect.any(String),
      });
      expect(await standingOf(order)).toEqual({ state: "pending", redirectUrl: expect.any(String) });
      await underTest.pay(order);
      const standing = await standingOf(order);
      expect(standing).toEqual({
        state: "settled",
        settlement: {
          amountCents: order.amountCents,
          feeCents: expect.any(BigInt),
          providerReference: expect.stringMatching(/^[\x21-\x7e]{1,200}$/),
          valueDate: expect.stringMatching(/^\d{4}-\d{2}-\d{2}$/),
        },
      });
      // The same answer, however often it is asked.
      expect(await standingOf(order)).toEqual(standing);
    });

    it("makes one payment of an order that is repeated, also at once", async () => {
      const order = underTest.orderOf("paid");
      const answers = await Promise.all([underTest.payments.order(order), underTest.payments.order(order)]);
      expect(answers[0]).toEqual(answers[1]);
      await underTest.pay(order);
      const settled = await standingOf(order);
      expect((await underTest.payments.order(order)).outcome).toMatch(/^(?:pending|done)$/);
      expect(await standingOf(order)).toEqual(settled);
    });

    it("returns different references for two orders", async () => {
      const references = [];
      for (const order of [underTest.orderOf("paid"), underTest.orderOf("paid")]) {
        await underTest.payments.order(order);
        await underTest.pay(order);
        const standing = await standingOf(order);
        references.push("settlement" in standing ? standing.settlement.providerReference : undefined);
      }
      expect(new Set(references).size).toBe(2);
      expect(references).not.toContain(undefined);
    });

    it("answers that a declined payment brings no money, and why", async () => {
      const order = underTest.orderOf("declined");
      await underTest.payments.order(order);
      await underTest.pay(order);
      expect(await standingOf(order)).toEqual({
        state: "failed",
        because: "declined",
        message: expect.stringMatching(/./),
      });
    });

    it("has no record of a refused order", async () => {
      const order = underTest.orderOf("refused");
      expect(await underTest.payments.order(order)).toMatchObject({
        outcome: "refused",
        message: expect.stringMatching(/./),
      });
      expect(await standingOf(order)).toEqual({ state: "none" });
    });

    it("stores the method of a customer who agrees, and names it in every answer", async () => {
      const { order, stored, standing } = await storeMethod();
      expect(stored).toEqual({
        id: expect.stringMatching(/^[\x21-\x7e]{1,200}$/),
        kind: order.method,
        label: expect.stringMatching(/^.{1,100}$/),
      });
      expect(await standingOf(order)).toEqual(standing);
    });

    it("stores no method without the customer's consent", async () => {
      const order = underTest.orderOf("paid");
      await underTest.payments.order(order);
      await underTest.pay(order);
      const standing = await standingOf(order);
      expect("settlement" in standing && standing.settlement).not.toHaveProperty("storedMethod");
    });

    it("makes one payment on a stored method without a page, also if its order is repeated", async () => {
      const { stored } = await storeMethod();
      const order = { ...underTest.orderOf("paid"), returnUrl: "", storedMethod: stored.id };
      for (let times = 0; times < 2; times += 1) {
        const answer = await underTest.payments.order(order);
        if (answer.outcome === "pending") expect(answer.redirectUrl).toBe("");
        else expect(answer.outcome).toBe("done");
      }
      await underTest.pay(order);
      expect(await standingOf(order)).toMatchObject({
        state: "settled",
        settlement: { amountCents: order.amountCents },
      });
    });

    it("makes no payment on a removed method, also if it is removed twice", async () => {
      const { stored } = await storeMethod();
      for (let times = 0; times < 2; times += 1)
        expect(await underTest.payments.removeMethod(stored.id)).toEqual({ outcome: "done" });
      const order = { ...underTest.orderOf("paid"), returnUrl: "", storedMethod: stored.id };
      expect(await underTest.payments.order(order)).toMatchObject({
        outcome: "refused",
        reason: "mandate-revoked",
      });
      expect(await standingOf(order)).toMatchObject({ state: expect.stringMatching(/^(?:none|failed)$/) });
    });

    it("makes no payment on an unknown method, and removes it", async () => {
      const order = { ...underTest.orderOf("paid"), returnUrl: "", storedMethod: "method-of-nobody" };
      expect(await underTest.payments.order(order)).toMatchObject({
        outcome: "refused",
        reason: "mandate-revoked",
      });
      expect(await underTest.payments.removeMethod("method-of-nobody")).toEqual({ outcome: "done" });
    });

    it("answers the amount of a reversed payment, and the reason of the reversal", async () => {
      const order = underTest.orderOf("charged-back");
      await underTest.payments.order(order);
      await underTest.pay(order);
      expect(await standingOf(order)).toMatchObject({ state: "settled" });
      await underTest.chargeBack(order);
      const returned = {
        state: "returned",
        settlement: { amountCents: order.amountCents, providerReference: expect.any(String) },
        amountCents: order.amountCents,
        message: expect.stringMatching(/./),
        valueDate: expect.stringMatching(/^\d{4}-\d{2}-\d{2}$/),
      };
      expect(await standingOf(order)).toMatchObject(returned);
      expect(await standingOf(order)).toMatchObject(returned);
    });

    describe("movements of the balance", () => {
      describeMovements(() => underTest);
    });

    describe("a refund", () => {
      const paid = async (fate: "paid" | "charged-back" = "paid"): Promise<PaymentOrder> => {
        const order = underTest.orderOf(fate);
        await underTest.payments.order(order);
        await underTest.pay(order);
        expect(await standingOf(order)).toMatchObject({ state: "settled" });
        return order;
      };
      const standingOfRefund = async ({ orderId, refundId }: RefundOrder) => {
        const answer = await underTest.payments.inquireRefund({ orderId, refundId });
        return answer.outcome === "done" ? answer.value : answer;
      };
      const refunded = async (refund: RefundOrder) => {
        expect((await underTest.payments.refund(refund)).outcome).toMatch(/^(?:pending|done)$/);
        await underTest.makeRefunds();
        return standingOfRefund(refund);
      };
      const settlementOf = ({ amountCents }: RefundOrder) => ({
        amountCents,
        providerReference: expect.stringMatching(/^[\x21-\x7e]{1,200}$/),
        valueDate: expect.stringMatching(/^\d{4}-\d{2}-\d{2}$/),
      });

      it("that was never ordered is unknown to the provider", async () => {
        expect(await standingOfRefund(underTest.refundOf(await paid()))).toEqual({ state: "none" });
      });

      it("is settled with its amount, a reference and a day, and the payment stays settled", async () => {
        const order = await paid();
        const before = await standingOf(order);
        const refund = underTest.refundOf(order);
        const standing = await refunded(refund);
        expect(standing).toEqual({ state: "settled", settlement: settlementOf(refund) });
        expect(await standingOfRefund(refund)).toEqual(standing);
        expect(await standingOf(order)).toEqual(before);
      });

      it("is made once of an order that is repeated, also at once", async () => {
        const order = await paid();
        const refund = underTest.refundOf(order, order.amountCents);
        await Promise.all([underTest.payments.refund(refund), underTest.payments.refund(refund)]);
        const standing = await refunded(refund);
        expect(standing).toMatchObject({ state: "settled" });
        expect(await refunded(refund)).toEqual(standing);
      });

      it("of a part leaves the rest, and no more", async () => {
        const order = await paid();
        const first = await refunded(underTest.refundOf(order, order.amountCents - 1_000n));
        const second = await refunded(underTest.refundOf(order, 1_000n));
        for (const standing of [first, second]) expect(standing).toMatchObject({ state: "settled" });
        const more = underTest.refundOf(order, 100n);
        expect(await underTest.payments.refund(more)).toMatchObject({
          outcome: "refused",
          reason: "rejected",
          message: expect.stringMatching(/./),
        });
        expect(await standingOfRefund(more)).toEqual({ state: "none" });
      });

      it.each(["more than came", "not paid", "unknown"])("is refused of a payment: %s", async (why) => {
        const order = why === "more than came" ? await paid() : underTest.orderOf("paid");
        if (why === "not paid") await underTest.payments.order(order);
        const refund = underTest.refundOf(order, order.amountCents + 100n);
        expect(await underTest.payments.refund(refund)).toMatchObject({
          outcome: "refused",
          reason: "rejected",
        });
        expect(await standingOfRefund(refund)).toEqual({ state: "none" });
      });

      it("is refused after the payment was taken back", async () => {
        const order = await paid("charged-back");
        await underTest.chargeBack(order);
        expect(await underTest.payments.refund(underTest.refundOf(order))).toMatchObject({
          outcome: "refused",
          reason: "rejected",
        });
      });
    });
  });
}
