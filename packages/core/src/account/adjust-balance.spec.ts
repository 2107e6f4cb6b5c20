import { describe, expect, it, test } from "vitest";

import { CorruptStreamError } from "../kernel/decider.ts";
import { deciderSpec } from "../testing/decider-spec.ts";
import { account } from "./account.decider.ts";
import { charge, charged, credit, credited, opened } from "./account.fixture.ts";
import { adjust, adjusted, receiptCancelled, reverse } from "./adjust-balance.fixture.ts";

const spec = deciderSpec(account);
const reversed = adjusted({
  kind: "top-up-reversed",
  reference: "bank-1",
  amountCents: "-10000",
  balanceAfterCents: "0",
});
const rich = [opened(), ...credited()];

describe("a correction by staff", () => {
  it("moves the balance and issues no document", () => {
    spec
      .given(...rich)
      .when(adjust())
      .then(adjusted());
    spec
      .given(...rich)
      .when(adjust({ kind: "credit" }))
      .then(adjusted({ kind: "credit", amountCents: "2500", balanceAfterCents: "12500" }));
  });

  it("is made once for a reference of its kind", () => {
    spec
      .given(...rich, adjusted())
      .when(adjust())
      .thenNothing();
    spec
      .given(...rich, adjusted())
      .when(adjust({ amountCents: 2_501n }))
      .thenRejected("reference-conflict");
    spec
      .given(...rich, adjusted())
      .when(adjust({ kind: "credit" }))
      .then(adjusted({ kind: "credit", amountCents: "2500", balanceAfterCents: "10000" }));
  });

  it("leaves no balance below zero", () => {
    spec
      .given(...rich)
      .when(adjust({ amountCents: 10_000n }))
      .then(adjusted({ amountCents: "-10000", balanceAfterCents: "0" }));
    spec
      .given(...rich)
      .when(adjust({ amountCents: 10_001n }))
      .thenRejected("insufficient-balance");
  });

  it("leaves a balance below zero only if staff allow it", () => {
    const inDebt = adjusted({ amountCents: "-10001", balanceAfterCents: "-1", debtAllowed: true });
    const requested = { amountCents: 10_001n, debtAllowed: true } as const;
    spec
      .given(...rich)
      .when(adjust(requested))
      .then(inDebt);
    for (const again of [adjust(requested), adjust({ ...requested, debtAllowed: false })])
      spec
        .given(...rich, inDebt)
        .when(again)
        .thenNothing();
    spec
      .given(...rich, inDebt)
      .when(adjust({ reference: "case-13", amountCents: 1n }))
      .thenRejected("insufficient-balance", { requiredCents: 1n, availableCents: -1n });
  });

  it("of a debt may leave part of the debt", () => {
    const inDebt = adjusted({ amountCents: "-10300", balanceAfterCents: "-300", debtAllowed: true });
    spec
      .given(...rich, inDebt)
      .when(adjust({ kind: "credit", amountCents: 100n }))
      .then(adjusted({ kind: "credit", amountCents: "100", balanceAfterCents: "-200" }));
    spec
      .given(...rich, inDebt)
      .when(charge())
      .thenRejected("insufficient-balance");
  });

  it("cannot raise the debt above the largest balance", () => {
    const most = 100_000_000_000n;
    const deep = adjusted({
      amountCents: String(-most),
      balanceAfterCents: String(10_000n - most),
      debtAllowed: true,
    });
    spec
      .given(...rich, deep)
      .when(adjust({ reference: "case-13", amountCents: 10_001n, debtAllowed: true }))
      .thenRejected("validation-failed");
  });

  test.each([0n, -1n, 10n ** 30n])("of %s cents is refused as a credit", (amountCents) => {
    spec
      .given(...rich)
      .when(adjust({ kind: "credit", amountCents }))
      .thenRejected("validation-failed");
  });
});

describe("a reversed payment", () => {
  it("is taken from the balance in full, once", () => {
    spec
      .given(...rich)
      .when(reverse())
      .then(reversed, receiptCancelled());
    // Older stores contain the movement without the cancellation.
    for (const before of [[reversed, receiptCancelled()], [reversed]])
      spec
        .given(...rich, ...before)
        .when(reverse())
        .thenNothing();
  });

  it("leaves a debt if the payment is spent and staff allow a debt", () => {
    const state = [...rich, ...charged()].reduce(account.evolve, account.initialState);
    const decision = account.decide(reverse("bank-1", true), state);
    expect(decision).toMatchObject({
      accepted: true,
      events: [
        { data: { kind: "top-up-reversed", amountCents: "-10000", debtAllowed: true } },
        { type: "ReceiptCancelled" },
      ],
    });
    const [event] = decision.accepted ? decision.events : [];
    const after = event === undefined ? state : account.evolve(state, event);
    expect(after).toMatchObject({
      balanceCents: state.status === "open" ? state.balanceCents - 10_000n : 0n,
    });
  });

  it("blocks its reference for another credit", () => {
    for (const amountCents of [10_000n, 9_999n])
      spec
        .given(...rich, reversed, receiptCancelled())
        .when(credit({ amountCents }))
        .thenRejected("reference-conflict");
  });

  it("is refused if the payment was never credited, or is spent", () => {
    spec
      .given(...rich)
      .when(reverse("bank-2"))
      .thenRejected("not-found");
    spec
      .given(...rich, ...charged())
      .when(reverse())
      .thenRejected("insufficient-balance");
  });
});

it("missing or doubled in the stream counts as corruption", () => {
  const state = [...rich, adjusted()].reduce(account.evolve, account.initialState);
  expect(() => account.evolve(state, adjusted({ balanceAfterCents: "5000" }))).toThrow(CorruptStreamError);
  expect(() => account.evolve(state, adjusted({ reference: "another" }))).toThrow(CorruptStreamError);
  expect(account.decide(charge(), state).accepted).toBe(true);
  const below = { amountCents: "-10001", balanceAfterCents: "-1" };
  const before = rich.reduce(account.evolve, account.initialState);
  expect(() => account.evolve(before, adjusted(below))).toThrow(CorruptStreamError);
  expect(account.evolve(before, adjusted({ ...below, debtAllowed: true }))).toMatchObject({
    balanceCents: -1n,
  });
});
