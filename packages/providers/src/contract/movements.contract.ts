import { addMilliseconds } from "@hostledger/core";
import { expect, it } from "vitest";

import {
  movementPageSize,
  type MovementQuestion,
  type PaymentOrder,
  type PaymentProvider,
  type ProviderMovement,
} from "../payment/payments.port.ts";
import type { PaymentsUnderTest } from "./payments-under-test.fixture.ts";

/** Tests what every payment provider lists of its movements of our balance. */
export function describeMovements(underTest: () => PaymentsUnderTest): void {
  const paid = async (fate: "paid" | "charged-back" = "paid"): Promise<PaymentOrder> => {
    const order = underTest().orderOf(fate);
    await underTest().payments.order(order);
    await underTest().pay(order);
    return order;
  };
  const listed = (span?: Pick<MovementQuestion, "from" | "to">) =>
    allMovements(underTest().payments, span ?? wholeSpan(underTest()));
  const of = ({ orderId }: PaymentOrder, movements: readonly ProviderMovement[]) =>
    movements.filter((movement) => movement.orderId === orderId);
  const shape = {
    id: expect.stringMatching(/^[\x21-\x7e]{1,200}$/),
    currency: "EUR",
    valueDate: expect.stringMatching(/^\d{4}-\d{2}-\d{2}$/),
    at: expect.stringMatching(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{6}Z$/),
    refundId: "",
    feeCents: 0n,
  };

  it("are none before a payment", async () => {
    const order = underTest().orderOf("paid");
    await underTest().payments.order(order);
    expect(await listed()).toEqual([]);
  });

  it("have a settled payment as its settlement has it", async () => {
    const order = await paid();
    const answer = await underTest().payments.inquire(order.orderId);
    const standing = answer.outcome === "done" ? answer.value : undefined;
    if (standing?.state !== "settled") throw new Error("the payment is not settled");
    const { storedMethod: _, ...settlement } = standing.settlement;
    expect(await listed()).toEqual([{ ...shape, kind: "settlement", orderId: order.orderId, ...settlement }]);
  });

  it("have nothing of a declined payment", async () => {
    const order = underTest().orderOf("declined");
    await underTest().payments.order(order);
    await underTest().pay(order);
    expect(await listed()).toEqual([]);
  });

  it("name the order of another installation, too", async () => {
    const order = { ...underTest().orderOf("paid"), orderId: "payment-zzzzzz-of-another-installation" };
    await underTest().payments.order(order);
    await underTest().pay(order);
    expect(await listed()).toMatchObject([{ kind: "settlement", orderId: order.orderId }]);
  });

  it("have a refund with its id, its order and its reference", async () => {
    const order = await paid();
    const refund = underTest().refundOf(order);
    await underTest().payments.refund(refund);
    await underTest().makeRefunds();
    const answer = await underTest().payments.inquireRefund(refund);
    const standing = answer.outcome === "done" ? answer.value : undefined;
    if (standing?.state !== "settled") throw new Error("the refund is not made");
    const { amountCents, ...settlement } = standing.settlement;
    const refunds = of(order, await listed()).filter(({ kind }) => kind === "refund");
    expect(refunds).toEqual([
      {
        ...shape,
        kind: "refund",
        orderId: order.orderId,
        refundId: refund.refundId,
        amountCents: -amountCents,
        ...settlement,
      },
    ]);
  });

  it("have a chargeback with the order and the reference of its payment", async () => {
    const order = await paid("charged-back");
    await underTest().chargeBack(order);
    const movements = of(order, await listed());
    const [settlement] = movements.filter(({ kind }) => kind === "settlement");
    expect(movements.filter(({ kind }) => kind === "return")).toEqual([
      {
        ...shape,
        kind: "return",
        orderId: order.orderId,
        providerReference: settlement?.providerReference,
        amountCents: -order.amountCents,
        feeCents: expect.any(BigInt),
      },
    ]);
  });

  it("are in the span that begins with them, and in none that ends with them", async () => {
    const order = await paid();
    const [movement] = of(order, await listed());
    if (movement === undefined) throw new Error("the payment is not listed");
    const { at } = movement;
    const second = (seconds: number) => addMilliseconds(at, seconds * 1_000);
    expect(of(order, await listed({ from: at, to: second(1) }))).toEqual([movement]);
    expect(of(order, await listed({ from: second(-5), to: at }))).toEqual([]);
    expect(of(order, await listed({ from: second(1), to: second(9) }))).toEqual([]);
    expect(of(order, await listed({ from: second(1), to: second(-1) }))).toEqual([]);
  });

  it("come in pages, each movement on one page", async () => {
    const count = movementPageSize + 5;
    const orders: string[] = [];
    for (let made = 0; made < count; made += 1) orders.push((await paid()).orderId);
    const first = await underTest().payments.listMovements({ ...wholeSpan(underTest()), after: "" });
    expect(first).toMatchObject({ outcome: "done", value: { next: expect.stringMatching(/./) } });
    expect(first.outcome === "done" && first.value.movements).toHaveLength(movementPageSize);
    const all = await listed();
    expect(all.map(({ orderId }) => orderId).toSorted()).toEqual(orders.toSorted());
    expect(new Set(all.map(({ id }) => id)).size).toBe(count);
  });

  it("are refused for a missing page", async () => {
    await paid();
    const question = { ...wholeSpan(underTest()), after: "page-of-nobody" };
    expect(await underTest().payments.listMovements(question)).toMatchObject({
      outcome: "refused",
      reason: "rejected",
      message: expect.stringMatching(/./),
    });
  });
}

/** A day before and after now. */
function wholeSpan({ now }: PaymentsUnderTest): Pick<MovementQuestion, "from" | "to"> {
  return { from: addMilliseconds(now(), -86_400_000), to: addMilliseconds(now(), 86_400_000) };
}

/** Reads all pages. */
async function allMovements(
  payments: PaymentProvider,
  span: Pick<MovementQuestion, "from" | "to">,
): Promise<readonly ProviderMovement[]> {
  const all: ProviderMovement[] = [];
  let after = "";
  do {
    const page = await payments.listMovements({ ...span, after });
    if (page.outcome !== "done") throw new Error(page.message);
    all.push(...page.value.movements);
    after = page.value.next;
  } while (after !== "");
  return all;
}
