import { describe, expect, it } from "vitest";

import { CorruptStreamError } from "../kernel/decider.ts";
import { deciderSpec } from "../testing/decider-spec.ts";
import { payment, type PaymentCommand } from "./payment.decider.ts";
import type { PaymentEvent } from "./payment.events.ts";
import {
  paymentAt as at,
  paymentFailed,
  paymentOpened,
  paymentRequested,
  paymentReturned,
  paymentSettled,
  refundOrdered,
  refundRefused,
  refundSettled,
} from "./payment.fixture.ts";
import { paymentOfRefund, refundIdOf } from "./refund.ts";

const spec = deciderSpec(payment);
const refundId = "payment-k3x7m2-1-refund-1";
const settled: readonly PaymentEvent[] = [paymentRequested(), paymentSettled()];
const order = (amountCents = 2_000n, id = refundId): PaymentCommand => ({
  type: "OrderRefund",
  data: { refundId: id, amountCents, reason: "Not needed", at },
});
const settle: PaymentCommand = {
  type: "RecordRefundSettled",
  data: { refundId, providerReference: "sandbox-refund-1", valueDate: "2026-03-02", at },
};
const refuse: PaymentCommand = {
  type: "RecordRefundRefused",
  data: { refundId, reason: "The card is closed.", at },
};
const giveBack: PaymentCommand = {
  type: "RecordPaymentReturned",
  data: { reason: "Chargeback.", feeCents: 2_000n, valueDate: "2026-03-02", at },
};

describe("a refund", () => {
  it("is ordered once, of a settled payment", () => {
    spec
      .given(...settled)
      .when(order())
      .then(refundOrdered());
    spec
      .given(...settled, refundOrdered())
      .when(order())
      .thenNothing();
    spec
      .given(...settled, refundOrdered())
      .when(order(1n))
      .thenRejected("reference-conflict");
  });

  it("is refused of a payment that did not settle", () => {
    spec.given().when(order()).thenRejected("not-found");
    for (const before of [[], [paymentOpened()], [paymentFailed()]])
      spec
        .given(paymentRequested(), ...before)
        .when(order())
        .thenRejected("validation-failed");
  });

  it.each([0n, -1n, 5_001n])("is refused of %d cents", (cents) => {
    spec
      .given(...settled)
      .when(order(cents))
      .thenRejected("validation-failed");
  });

  it("is refused above what is left, and a refused refund does not reduce that", () => {
    const second = "payment-k3x7m2-1-refund-2";
    spec
      .given(...settled, refundOrdered())
      .when(order(3_001n, second))
      .thenRejected("validation-failed");
    spec
      .given(...settled, refundOrdered(), refundRefused())
      .when(order(5_000n, second))
      .then(refundOrdered({ refundId: second, amountCents: "5000" }));
  });

  it("ends once", () => {
    spec
      .given(...settled, refundOrdered())
      .when(settle)
      .then(refundSettled());
    spec
      .given(...settled, refundOrdered(), refundSettled())
      .when(settle)
      .thenNothing();
    spec
      .given(...settled, refundOrdered())
      .when(refuse)
      .then(refundRefused());
    spec
      .given(...settled, refundOrdered(), refundRefused())
      .when(refuse)
      .thenNothing();
    spec
      .given(...settled, refundOrdered(), refundRefused())
      .when(settle)
      .thenRejected("validation-failed");
    for (const command of [settle, refuse])
      spec
        .given(...settled)
        .when(command)
        .thenRejected("not-found");
  });

  it("may come back after it was sent", () => {
    spec
      .given(...settled, refundOrdered(), refundSettled())
      .when(refuse)
      .then(refundRefused());
  });

  it("ends before a chargeback, which debits the rest", () => {
    spec
      .given(...settled, refundOrdered())
      .when(giveBack)
      .thenRejected("validation-failed");
    const returned = paymentReturned();
    const left = { ...returned, data: { ...returned.data, amountCents: "3000" } };
    spec
      .given(...settled, refundOrdered(), refundSettled())
      .when(giveBack)
      .then(left);
    spec
      .given(...settled, refundOrdered(), refundRefused())
      .when(giveBack)
      .then(returned);
  });

  it("that failed after a chargeback leaves the chargeback its amount, and one before it does not", () => {
    const failed = [...settled, refundOrdered(), refundSettled(), refundRefused()];
    const took = (amountCents: bigint): PaymentCommand => ({
      type: "RecordPaymentReturned",
      data: { reason: "Chargeback.", valueDate: "2026-03-02", amountCents, feeCents: 0n, at },
    });
    const returned = paymentReturned();
    for (const amountCents of [0n, 3_000n, 5_000n])
      spec
        .given(...failed)
        .when(took(amountCents))
        .then({ ...returned, data: { ...returned.data, amountCents: String(amountCents), feeCents: "0" } });
    for (const amountCents of [-1n, 5_001n])
      spec
        .given(...failed)
        .when(took(amountCents))
        .thenRejected("validation-failed");
    spec
      .given(...settled, refundOrdered(), refundSettled())
      .when(took(5_000n))
      .thenRejected("validation-failed");
  });

  it("ordered after a chargeback is refused at once, so that its debit is undone", () => {
    const reason = "The payment was taken back before it could be refunded.";
    spec
      .given(...settled, paymentReturned())
      .when(order())
      .then(refundOrdered(), refundRefused({ reason }));
  });
});

it("has an id that names its payment", () => {
  expect(refundIdOf("payment-k3x7m2-1", 1)).toBe(refundId);
  expect(paymentOfRefund(refundId)).toBe("payment-k3x7m2-1");
  for (const text of ["", "payment-1", "refund-1", "payment-1-refund-0", "k3x7m2-P1"])
    expect(paymentOfRefund(text)).toBeUndefined();
});

it.each([
  [[paymentRequested(), refundOrdered()]],
  [[...settled, refundSettled()]],
  [[...settled, refundOrdered(), refundOrdered()]],
  [[...settled, refundOrdered(), refundSettled(), refundSettled()]],
  [[...settled, refundOrdered(), refundRefused(), refundRefused()]],
  [[...settled, refundOrdered(), refundRefused(), refundSettled()]],
])("a stream in another order is corrupt", (events) => {
  expect(() => events.reduce(payment.evolve, payment.initialState)).toThrow(CorruptStreamError);
});
