import { describe, expect, it } from "vitest";

import { addMilliseconds } from "../calendar/calendar.ts";
import { CorruptStreamError } from "../kernel/decider.ts";
import { deciderSpec } from "../testing/decider-spec.ts";
import { mayCharge, storedMethods, wallet, type WalletCommand } from "./wallet.decider.ts";
import type { WalletEvent } from "./wallet.events.ts";
import {
  autoTopUpOff,
  autoTopUpOrdered,
  autoTopUpSet,
  autoTopUpStopped,
  methodRemoved,
  methodStored,
  methodWithdrawn,
  walletAt as at,
} from "./wallet.fixture.ts";

const spec = deciderSpec(wallet);
const stateOf = (...events: readonly WalletEvent[]) => events.reduce(wallet.evolve, wallet.initialState);
const ids = { accountId: 7, methodId: 3 };
const store = (change: object = {}): WalletCommand => {
  const { storedAt, ...data } = methodStored().data;
  return { type: "StoreMethod", data: { ...data, at: storedAt, ...change } };
};
const withdraw = (because: "asked" | "erased" = "asked"): WalletCommand => ({
  type: "WithdrawMethod",
  data: { ...ids, because, at },
});
const removed: WalletCommand = { type: "RecordMethodRemoved", data: { ...ids, at } };
const turnOn = (change: object = {}): WalletCommand => ({
  type: "SetAutoTopUp",
  data: {
    accountId: 7,
    terms: { thresholdCents: 1_000n, amountCents: 5_000n, methodId: 3, ...change },
    at,
  },
});
const turnOff: WalletCommand = { type: "SetAutoTopUp", data: { accountId: 7, terms: undefined, at } };
const order = (now = at): WalletCommand => ({
  type: "OrderAutoTopUp",
  data: { accountId: 7, paymentId: 13, installation: "k3x7m2", at: now },
});
const stop: WalletCommand = { type: "StopAutoTopUp", data: { ...ids, at } };

describe("a stored method", () => {
  it("is stored once, however often the provider names it", () => {
    spec.given().when(store()).then(methodStored());
    spec
      .given(methodStored())
      .when(store({ methodId: 4 }))
      .thenNothing();
    spec
      .given(methodStored())
      .when(store({ methodId: 4, providerMethod: "method-2" }))
      .then(methodStored({ methodId: 4, providerMethod: "method-2" }));
    // A withdrawn method does not come back with an old answer.
    spec.given(methodStored(), methodWithdrawn()).when(store()).thenNothing();
  });

  it("is withdrawn once, and then removed once", () => {
    spec.given(methodStored()).when(withdraw()).then(methodWithdrawn());
    spec.given(methodStored()).when(withdraw("erased")).then(methodWithdrawn("erased"));
    spec.given(methodStored(), methodWithdrawn()).when(withdraw()).thenNothing();
    spec.given(methodStored(), methodWithdrawn()).when(removed).then(methodRemoved());
    spec.given(methodStored(), methodWithdrawn(), methodRemoved()).when(removed).thenNothing();
    spec.given(methodStored()).when(removed).thenRejected("not-found");
  });

  it("that the account never had is not found", () => {
    spec.given().when(withdraw()).thenRejected("not-found");
    spec.given().when(removed).thenRejected("not-found");
  });

  it("may be charged until it is withdrawn", () => {
    expect(mayCharge(stateOf(), 3)).toBe(false);
    expect(mayCharge(stateOf(methodStored()), 3)).toBe(true);
    expect(mayCharge(stateOf(methodStored(), methodWithdrawn()), 3)).toBe(false);
    expect(mayCharge(stateOf(methodStored(), methodWithdrawn(), methodRemoved()), 3)).toBe(false);
    expect(storedMethods(stateOf(methodStored(), methodWithdrawn()))).toEqual([]);
  });
});

describe("automatic top-ups", () => {
  it("are turned on with a stored method, changed, and turned off", () => {
    spec.given(methodStored()).when(turnOn()).then(autoTopUpSet());
    spec.given(methodStored(), autoTopUpSet()).when(turnOn()).thenNothing();
    spec
      .given(methodStored(), autoTopUpSet())
      .when(turnOn({ amountCents: 6_000n }))
      .then(autoTopUpSet({ amountCents: "6000" }));
    spec.given(methodStored(), autoTopUpSet()).when(turnOff).then(autoTopUpOff());
    spec.given(methodStored()).when(turnOff).thenNothing();
    spec.given(methodStored(), autoTopUpSet(), autoTopUpStopped()).when(turnOff).then(autoTopUpOff());
  });

  it.each([
    ["a negative threshold", { thresholdCents: -1n }, "threshold"],
    ["a threshold above the limit", { thresholdCents: 1_000_001n }, "threshold"],
    ["no amount", { amountCents: 0n }, "amount"],
    ["an amount above the limit", { amountCents: 1_000_001n }, "amount"],
    ["a method of nobody", { methodId: 4 }, "method"],
  ] as const)("are refused with %s", (_what, change, field) => {
    spec
      .given(methodStored())
      .when(turnOn(change))
      .thenRejected("validation-failed", { fieldErrors: { [field]: [expect.any(String)] } });
  });

  it("are refused on a withdrawn method", () => {
    spec.given(methodStored(), methodWithdrawn()).when(turnOn()).thenRejected("validation-failed");
  });

  it("stop with their method, and with its mandate", () => {
    spec
      .given(methodStored(), autoTopUpSet())
      .when(withdraw())
      .then(methodWithdrawn(), autoTopUpStopped("method-withdrawn"));
    spec.given(methodStored(), autoTopUpSet()).when(stop).then(autoTopUpStopped());
    spec.given(methodStored(), autoTopUpSet(), autoTopUpStopped()).when(stop).thenNothing();
    spec
      .given(
        methodStored(),
        methodStored({ methodId: 4, providerMethod: "2" }),
        autoTopUpSet({ methodId: 4 }),
      )
      .when(stop)
      .thenNothing();
  });

  it("are ordered once in 24 hours", () => {
    const on = [methodStored(), autoTopUpSet()];
    spec
      .given(...on)
      .when(order())
      .then(autoTopUpOrdered());
    spec
      .given(...on, autoTopUpOrdered())
      .when(order(addMilliseconds(at, 86_399_999)))
      .thenNothing();
    const later = addMilliseconds(at, 86_400_000);
    spec
      .given(...on, autoTopUpOrdered())
      .when(order(later))
      .then(autoTopUpOrdered({ paymentKey: "k3x7m2-auto-7-2", orderedAt: later }));
    spec
      .given(...on, autoTopUpOff())
      .when(order())
      .thenRejected("validation-failed");
  });
});

describe("a wallet's stream", () => {
  it.each([
    ["two methods of one id", [methodStored(), methodStored()]],
    ["a withdrawal of an unknown method", [methodWithdrawn()]],
    ["a second withdrawal", [methodStored(), methodWithdrawn(), methodWithdrawn()]],
    ["a removal without a withdrawal", [methodStored(), methodRemoved()]],
    ["a stop of nothing", [methodStored(), autoTopUpStopped()]],
  ])("with %s is corrupt", (_what, events) => {
    expect(() => stateOf(...events)).toThrow(CorruptStreamError);
  });
});
