import { describe, expect, it } from "vitest";

import { payment } from "../payment/payment.decider.ts";
import type { PaymentEvent } from "../payment/payment.events.ts";
import {
  paymentFailed,
  paymentOpened,
  paymentRequested,
  paymentReturned,
  paymentSettled,
  refundOrdered,
  refundSettled,
} from "../payment/payment.fixture.ts";
import {
  creditDifferences,
  missingPayment,
  paymentDifferences,
  unknownPayment,
  unknownPayments,
  type PaymentMovement,
  type RequestedPaymentState,
} from "./payment.differences.ts";

const orderId = "payment-k3x7m2-1";
const refundId = `${orderId}-refund-1`;

function stateAfter(...events: readonly PaymentEvent[]): RequestedPaymentState {
  const state = events.reduce(payment.evolve, payment.initialState);
  if (state.status === "absent") throw new Error("nothing was requested");
  return state;
}
const moved = (change: Partial<PaymentMovement> = {}): PaymentMovement => ({
  kind: "settlement",
  refundId: "",
  providerReference: "sandbox-1",
  amountCents: 5_000n,
  currency: "EUR",
  ...change,
});
const refunded = (amountCents: bigint, change: Partial<PaymentMovement> = {}) =>
  moved({ kind: "refund", refundId, providerReference: "re-1", amountCents, ...change });
const returned = (amountCents: bigint) => moved({ kind: "return", amountCents });
const found = (movements: readonly PaymentMovement[], ...events: readonly PaymentEvent[]) =>
  paymentDifferences(orderId, movements, stateAfter(paymentRequested(), ...events)).map(
    (one) => `${one.kind}: ${one.expected} / ${one.found}`,
  );
const settled = paymentSettled();
const ordered = refundOrdered({ refundId });
const sent = refundSettled({ refundId });

describe("a payment agrees with its provider", () => {
  it.each<[string, readonly PaymentMovement[], readonly PaymentEvent[]]>([
    ["that lists its settlement", [moved()], [settled]],
    ["that lists its settlement twice", [moved(), moved()], [settled]],
    ["that lists nothing of it", [], [paymentOpened()]],
    ["that lists its chargeback", [moved(), returned(-5_000n)], [settled, paymentReturned()]],
    ["that lists the chargeback alone", [returned(-5_000n)], [settled, paymentReturned()]],
    ["that gave a chargeback back", [returned(-5_000n), returned(5_000n)], [settled]],
    ["that lists its refund", [moved(), refunded(-2_000n)], [settled, ordered, sent]],
    ["that made a refund which is still asked about", [refunded(-2_000n)], [settled, ordered]],
    ["that made a refund which came back", [refunded(-2_000n), refunded(2_000n)], [settled]],
    ["that lists the money of a refund coming back alone", [refunded(2_000n)], [settled]],
    [
      "that took it back by a refund of its own",
      [moved(), refunded(-5_000n, { refundId: "" })],
      [settled, paymentReturned()],
    ],
  ])("%s", (_what, movements, events) => {
    expect(found(movements, ...events)).toEqual([]);
  });
});

describe("a payment differs from its provider", () => {
  it.each<[string, readonly PaymentMovement[], readonly PaymentEvent[], string]>([
    [
      "that settled a payment which failed here",
      [moved()],
      [paymentFailed()],
      "payment-unsettled: failed / 50.00 EUR as sandbox-1",
    ],
    [
      "that settled an open payment twice",
      [moved(), moved({ providerReference: "sandbox-2" })],
      [paymentOpened()],
      "payment-doubled: open / 50.00 EUR as sandbox-1, and 50.00 EUR as sandbox-2",
    ],
    [
      "that settled a settled payment once more",
      [moved({ providerReference: "sandbox-2" }), moved()],
      [settled],
      "payment-doubled: 50.00 EUR as sandbox-1 / 50.00 EUR as sandbox-2",
    ],
    [
      "that settled another amount",
      [moved({ amountCents: 4_900n })],
      [settled],
      "payment-amount: 50.00 EUR as sandbox-1 / 49.00 EUR as sandbox-1",
    ],
    [
      "that settled another currency",
      [moved({ currency: "USD" })],
      [settled],
      "payment-amount: 50.00 EUR as sandbox-1 / 50.00 USD as sandbox-1",
    ],
    [
      "that took the payment back",
      [moved(), returned(-5_000n)],
      [settled],
      "payment-return: nothing was taken back / 50.00 EUR were taken back",
    ],
    [
      "that sent a part back without an order",
      [refunded(-1_000n, { refundId: "" })],
      [settled],
      "payment-return: nothing was taken back / 10.00 EUR were taken back",
    ],
    [
      "that gave a chargeback back which was debited here",
      [returned(5_000n)],
      [settled, paymentReturned()],
      "payment-return: the payment was taken back / what was taken back came again",
    ],
    [
      "that made a refund which nobody ordered",
      [refunded(-2_000n)],
      [settled],
      `payment-refund: 0.00 EUR sent back as ${refundId} / 20.00 EUR sent back as ${refundId}`,
    ],
    [
      "that refunded another amount",
      [refunded(-2_100n)],
      [settled, ordered, sent],
      `payment-refund: 20.00 EUR sent back as ${refundId} / 21.00 EUR sent back as ${refundId}`,
    ],
    [
      "whose refund came back and is settled here",
      [refunded(-2_000n), refunded(2_000n)],
      [settled, ordered, sent],
      `payment-refund: 20.00 EUR sent back as ${refundId} / 0.00 EUR sent back as ${refundId}`,
    ],
  ])("%s", (_what, movements, events, difference) => {
    expect(found(movements, ...events)).toEqual([difference]);
  });

  it("that has no such payment, or whose payment is unknown here", () => {
    const state = stateAfter(paymentRequested(), settled);
    if (!("settled" in state)) throw new Error("the payment is not settled");
    expect(missingPayment(orderId, state, "no such payment")).toMatchObject({
      kind: "payment-missing",
      resource: orderId,
      severity: "critical",
      expected: "50.00 EUR as sandbox-1",
    });
    expect(unknownPayments("stripe", { count: 21, example: moved() })).toMatchObject({
      resource: "others-at-stripe",
      found: "21 payments that nobody ordered here, such as 50.00 EUR as sandbox-1",
    });
    expect(unknownPayment("ch_1", moved())).toMatchObject({
      kind: "payment-unknown",
      resource: "ch_1",
      severity: "critical",
      found: "50.00 EUR as sandbox-1",
    });
  });
});

it.each([
  [{ accountId: 7, amountCents: 5_000n }, []],
  [undefined, ["50.00 EUR for account 7 / nobody was credited"]],
  [{ accountId: 9, amountCents: 5_000n }, ["50.00 EUR for account 7 / account 9 was credited 50.00 EUR"]],
  [{ accountId: 7, amountCents: 4_000n }, ["50.00 EUR for account 7 / account 7 was credited 40.00 EUR"]],
])("a settled payment is credited to its account: %o", (credited, differences) => {
  const state = stateAfter(paymentRequested(), settled);
  if (!("settled" in state)) throw new Error("the payment is not settled");
  expect(creditDifferences(orderId, state, credited).map((one) => `${one.expected} / ${one.found}`)).toEqual(
    differences,
  );
});
