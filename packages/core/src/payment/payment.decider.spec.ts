import { describe, expect, it } from "vitest";

import { CorruptStreamError } from "../kernel/decider.ts";
import { deciderSpec } from "../testing/decider-spec.ts";
import { payment, type PaymentCommand, type RequestPayment } from "./payment.decider.ts";
import {
  paymentAt as at,
  paymentFailed,
  paymentOpened,
  paymentRequested,
  paymentReturned,
  paymentSettled,
} from "./payment.fixture.ts";

const spec = deciderSpec(payment);
const request = (amountCents = 5_000n): RequestPayment => ({
  type: "RequestPayment",
  data: {
    paymentId: 12,
    accountId: 7,
    provider: "sandbox",
    method: "card",
    amountCents,
    returnUrl: "",
    storesMethod: false,
    methodId: null,
    at,
  },
});
const open: PaymentCommand = {
  type: "RecordPaymentOpened",
  data: { redirectUrl: "https://pay.example/1", at },
};
const settle = (change: object = {}): PaymentCommand => ({
  type: "RecordPaymentSettled",
  data: {
    amountCents: 5_000n,
    feeCents: 100n,
    providerReference: "sandbox-1",
    valueDate: "2026-03-01",
    at,
    ...change,
  },
});
const fail: PaymentCommand = {
  type: "RecordPaymentFailed",
  data: { because: "declined", reason: "No.", at },
};
const giveBack: PaymentCommand = {
  type: "RecordPaymentReturned",
  data: { reason: "Chargeback.", feeCents: 2_000n, valueDate: "2026-03-02", at },
};

describe("a request", () => {
  it("begins a payment once", () => {
    spec.given().when(request()).then(paymentRequested());
    spec.given(paymentRequested()).when(request()).thenNothing();
    spec.given(paymentRequested(), paymentSettled()).when(request()).thenNothing();
  });

  it.each([0n, -100n, 99n, 1_000_001n])("is refused for %d cents", (cents) => {
    spec
      .given()
      .when(request(cents))
      .thenRejected("validation-failed", { fieldErrors: { amount: ["must be 1.00 to 10000.00 euros"] } });
  });

  it.each([100n, 1_000_000n])("is accepted for %d cents", (cents) => {
    expect(payment.decide(request(cents), payment.initialState).accepted).toBe(true);
  });
});

describe("an answer of the provider", () => {
  it("is refused without a request", () => {
    for (const command of [open, settle(), fail, giveBack])
      spec.given().when(command).thenRejected("not-found");
  });

  it("is recorded once", () => {
    const [requested, opened, settled] = [paymentRequested(), paymentOpened(), paymentSettled()];
    spec.given(requested).when(open).then(opened);
    spec.given(requested, opened).when(open).thenNothing();
    spec.given(requested, opened).when(settle()).then(settled);
    spec.given(requested, opened, settled).when(settle()).thenNothing();
    spec.given(requested, opened, settled).when(giveBack).then(paymentReturned());
    spec.given(requested, opened, settled, paymentReturned()).when(giveBack).thenNothing();
    spec.given(requested, opened, settled, paymentReturned()).when(settle()).thenNothing();
  });

  it("that no money comes changes nothing after the money came", () => {
    spec.given(paymentRequested()).when(fail).then(paymentFailed());
    spec.given(paymentRequested(), paymentFailed()).when(fail).thenNothing();
    spec.given(paymentRequested(), paymentSettled()).when(fail).thenNothing();
  });

  it("that money came is recorded after a failure too", () => {
    spec.given(paymentRequested(), paymentFailed()).when(settle()).then(paymentSettled());
  });

  it.each([{ amountCents: 1n }, { providerReference: "sandbox-2" }])(
    "with %o after another settlement is refused",
    (change) => {
      spec
        .given(paymentRequested(), paymentSettled())
        .when(settle(change))
        .thenRejected("reference-conflict");
    },
  );

  it.each([0n, -1n, 100_000_000_001n])("is refused that settles %d cents", (amountCents) => {
    spec.given(paymentRequested()).when(settle({ amountCents })).thenRejected("validation-failed");
  });

  it("that takes money back is refused before the money came", () => {
    for (const before of [[], [paymentOpened()], [paymentFailed()]])
      spec
        .given(paymentRequested(), ...before)
        .when(giveBack)
        .thenRejected("validation-failed");
  });
});

describe("a bank transfer", () => {
  const requested = paymentRequested({ provider: "bank", method: "transfer" });
  const more = { amountCents: 7_000n, providerReference: "sandbox-2" };
  const settledMore = paymentSettled({ amountCents: "7000", providerReference: "sandbox-2" });

  it("is settled again when the sum changes", () => {
    spec.given(requested, paymentSettled()).when(settle()).thenNothing();
    spec.given(requested, paymentSettled()).when(settle(more)).then(settledMore);
    spec.given(requested, paymentSettled(), settledMore).when(settle(more)).thenNothing();
  });

  it("is settled again after it was moved away and back", () => {
    spec.given(requested, paymentSettled(), paymentReturned()).when(settle()).then(paymentSettled());
    spec
      .given(requested, paymentSettled(), paymentReturned(), paymentSettled())
      .when(giveBack)
      .then(paymentReturned());
  });
});

it.each([
  [[paymentOpened()]],
  [[paymentRequested(), paymentRequested()]],
  [[paymentRequested(), paymentOpened(), paymentOpened()]],
  [[paymentRequested(), paymentSettled(), paymentSettled()]],
  [[paymentRequested(), paymentSettled(), paymentFailed()]],
  [[paymentRequested(), paymentReturned()]],
])("a stream in another order is corrupt", (events) => {
  expect(() => events.reduce(payment.evolve, payment.initialState)).toThrow(CorruptStreamError);
});
