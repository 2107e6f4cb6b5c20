import type { ExpectedRows } from "@hostledger/read/testing";
import { projectionSpec } from "@hostledger/read/testing";
import { describe, expect, it, test } from "vitest";

import { examples, stored, typesInStreams } from "./account-subscription.fixture.ts";
import type { AccountSubscriptionEvent } from "./account.subscription.ts";
import type { paymentTables } from "./account.tables.ts";
import { payments } from "./payments.projection.ts";
import { accountWork } from "./work.projection.ts";

const { PaymentRequested, PaymentOpened, PaymentSettled, PaymentFailed, PaymentReturned, MethodStored } =
  examples;

const requested: NonNullable<ExpectedRows<typeof paymentTables>["payments"]>[number] = {
  id: 12,
  account_id: 7,
  method: "card",
  amount_cents: 5_000,
  state: "pending",
  paid_cents: null,
  redirect_url: null,
  reference: null,
  failure: null,
  created_at: PaymentRequested.data.requestedAt,
  settled_at: null,
  stream_key: "k3x7m2-1",
  stored_method_id: null,
};
const opened = { ...requested, redirect_url: "https://pay.example/1" };
const settled = {
  ...requested,
  state: "settled",
  paid_cents: 5_000,
  reference: "sandbox-1",
  settled_at: PaymentSettled.data.settledAt,
};

describe("payments", () => {
  test.each([
    ["are pending when they are requested", [], PaymentRequested, requested],
    ["have a page when they are open", [PaymentRequested], PaymentOpened, opened],
    ["show what came, and no page", [PaymentRequested, PaymentOpened], PaymentSettled, settled],
    [
      "show why nothing came, and no page",
      [PaymentRequested, PaymentOpened],
      PaymentFailed,
      { ...requested, state: "failed", failure: "No." },
    ],
    [
      "name the method that was stored with them",
      [PaymentRequested],
      MethodStored,
      { ...requested, stored_method_id: MethodStored.data.methodId },
    ],
    ["show what came after a failure", [PaymentRequested, PaymentFailed], PaymentSettled, settled],
    [
      "show why they were taken back",
      [PaymentRequested, PaymentSettled],
      PaymentReturned,
      { ...settled, state: "returned", failure: "Chargeback." },
    ],
  ] as const)("%s", (_what, before, event, row) => {
    projectionSpec(payments)
      .given(...before.map(stored))
      .when(stored(event))
      .then({ payments: [row] });
  });

  const others: readonly AccountSubscriptionEvent[] = Object.values(examples).filter(
    ({ type }) => !type.startsWith("Payment") && type !== "MethodStored",
  );
  test.each(others)("are not changed by $type", (event) => {
    projectionSpec(payments)
      .given(stored(PaymentRequested))
      .when(stored(event))
      .then({ payments: [requested] });
  });

  it("stop at no event of the streams they follow", () => {
    expect(Object.keys(payments.handlers).toSorted()).toEqual(typesInStreams.toSorted());
  });
});

describe("the work on payments", () => {
  const [first, later] = ["2026-03-01T10:00:00.000000Z", "2026-04-01T00:00:00.000000Z"];
  const on = (event: AccountSubscriptionEvent, time = first) => ({ ...stored(event), time });
  const row = (due_at: string) => ({
    kind: "payment",
    key: "k3x7m2-1",
    account_id: 7,
    due_at,
    awaits_funds: 0,
  });

  test("is another kind for a bank transfer", () => {
    const data = { ...PaymentRequested.data, provider: "bank", method: "transfer" };
    projectionSpec(accountWork)
      .when(on({ ...PaymentRequested, data }))
      .then({ work: [{ ...row(first), kind: "transfer" }] });
  });

  test("begins with the request", () => {
    projectionSpec(accountWork)
      .when(on(PaymentRequested))
      .then({ work: [row(first)] });
  });

  test.each([PaymentOpened, PaymentSettled, PaymentFailed, PaymentReturned])(
    "is due after $type",
    (event) => {
      projectionSpec(accountWork)
        .given(on(PaymentRequested))
        .when(on(event, later))
        .then({ work: [row(later)] });
    },
  );
});
