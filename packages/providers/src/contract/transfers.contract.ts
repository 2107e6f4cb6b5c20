import { beforeEach, expect, it } from "vitest";

import type { Registrar, TransferOrder } from "../registrar/registrar.port.ts";

/** A registrar, and others that hold names. */
export interface TransfersUnderTest {
  readonly registrar: Registrar;
  /** Returns a new available name at each call. */
  freshName(): string;
  /** Returns a new name held by another registrar, with its authInfo. */
  heldElsewhere(answer: "releases" | "refuses"): { readonly name: string; readonly authCode: string };
  /** Lets other registrars' answering time pass. */
  letOthersAnswer(): Promise<void> | void;
}

const notTransferable = { outcome: "refused", reason: "not-transferable" };
const none = { outcome: "done", value: { state: "none" } };
const notHeld = { outcome: "done", value: { held: false } };

/** Tests the registrar contract for names held by another registrar. */
export function describeTransfers(underTest: () => TransfersUnderTest): void {
  const registrar = (): Registrar => underTest().registrar;
  const orderFor = (answer: "releases" | "refuses"): TransferOrder => {
    const { name, authCode } = underTest().heldElsewhere(answer);
    return { clientTransactionId: `transfer-${name}`, name, authCode };
  };
  let order: TransferOrder;
  beforeEach(() => {
    order = orderFor("releases");
  });

  describePending(
    registrar,
    () => order,
    () => underTest().freshName(),
  );

  it("answers that a name held elsewhere is not available, and does not sell it", async () => {
    const { name } = order;
    expect(await registrar().check(name)).toEqual({ outcome: "done", value: { available: false } });
    const purchase = { clientTransactionId: "purchase", name, years: 1, nameservers: [] };
    expect(await registrar().register(purchase)).toMatchObject({ outcome: "refused", reason: "rejected" });
    expect(await registrar().inquireTransfer(name)).toEqual(none);
  });

  it("holds the name with the order's id once the other registrar has released it", async () => {
    const { name, clientTransactionId } = order;
    await registrar().transferIn(order);
    await underTest().letOthersAnswer();
    const answer = await registrar().inquireTransfer(name);
    const domain = { name, clientTransactionId, whoisPrivacy: true, transferLock: true };
    expect(answer).toMatchObject({
      outcome: "done",
      value: { state: "done", clientTransactionId, domain },
    });
    expect(await registrar().inquire(name)).toMatchObject({ value: { held: true, domain } });
    const hosts = ["ns1.customer.example", "ns2.customer.example"];
    expect(await registrar().updateNameservers(name, hosts)).toMatchObject({ outcome: "done" });
  });

  it("answers a repeat with the first result, and refuses another order for a held name", async () => {
    await registrar().transferIn(order);
    await underTest().letOthersAnswer();
    expect(await registrar().transferIn(order)).toMatchObject({
      outcome: "done",
      value: { clientTransactionId: order.clientTransactionId },
    });
    expect(await registrar().transferIn({ ...order, clientTransactionId: "another" })).toMatchObject(
      notTransferable,
    );
  });

  it("answers that the other registrar refused; another order may follow", async () => {
    const refused = orderFor("refuses");
    await registrar().transferIn(refused);
    await underTest().letOthersAnswer();
    const { name, clientTransactionId } = refused;
    expect(await registrar().inquireTransfer(name)).toMatchObject({
      outcome: "done",
      value: { state: "refused", clientTransactionId },
    });
    expect(await registrar().inquire(name)).toEqual(notHeld);
    expect(await registrar().transferIn(refused)).toMatchObject({ outcome: "refused", reason: "rejected" });
    const next = { ...refused, clientTransactionId: `${clientTransactionId}-next` };
    expect(await registrar().transferIn(next)).toEqual({ outcome: "pending" });
  });

  it("cancels no completed transfer", async () => {
    await registrar().transferIn(order);
    await underTest().letOthersAnswer();
    expect(await registrar().cancelTransfer(order.name)).toMatchObject({
      outcome: "refused",
      reason: "rejected",
    });
    expect(await registrar().inquire(order.name)).toMatchObject({ value: { held: true } });
  });

  it("drops a withdrawn transfer: it never completes", async () => {
    await registrar().transferIn(order);
    for (let attempt = 0; attempt < 2; attempt += 1)
      expect(await registrar().cancelTransfer(order.name)).toEqual({ outcome: "done", value: undefined });
    await underTest().letOthersAnswer();
    expect(await registrar().inquireTransfer(order.name)).toEqual(none);
    expect(await registrar().inquire(order.name)).toEqual(notHeld);
  });
}

function describePending(
  registrar: () => Registrar,
  order: () => TransferOrder,
  freshName: () => string,
): void {
  it("has a pending transfer, and not the name yet", async () => {
    const { name, clientTransactionId } = order();
    expect(await registrar().transferIn(order())).toEqual({ outcome: "pending" });
    expect(await registrar().inquireTransfer(name)).toEqual({
      outcome: "done",
      value: { state: "pending", clientTransactionId },
    });
    expect(await registrar().inquire(name)).toEqual(notHeld);
  });

  it("has one pending transfer for simultaneous copies of an order; another order is refused", async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => registrar().transferIn(order())));
    expect(answers).toEqual(Array(8).fill({ outcome: "pending" }));
    expect(await registrar().transferIn({ ...order(), clientTransactionId: "another" })).toMatchObject({
      outcome: "refused",
      reason: "rejected",
    });
  });

  it("refuses a wrong code, and nothing is pending", async () => {
    const { name } = order();
    expect(await registrar().transferIn({ ...order(), authCode: "a-wrong-code" })).toMatchObject({
      outcome: "refused",
      reason: "invalid-auth-code",
    });
    expect(await registrar().inquireTransfer(name)).toEqual(none);
    expect(await registrar().cancelTransfer(name)).toEqual({ outcome: "done", value: undefined });
  });

  it("refuses a name that no other registrar holds", async () => {
    const name = freshName();
    expect(await registrar().transferIn({ ...order(), name })).toMatchObject(notTransferable);
    expect(await registrar().inquireTransfer(name)).toEqual(none);
  });
}
