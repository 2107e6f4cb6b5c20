import { describe, expect, it } from "vitest";

import { account } from "../account/account.decider.ts";
import type { AccountEvent } from "../account/account.events.ts";
import { credited, opened } from "../account/account.fixture.ts";
import { addMilliseconds } from "../calendar/calendar.ts";
import { payment } from "../payment/payment.decider.ts";
import type { PaymentEvent } from "../payment/payment.events.ts";
import {
  paymentFailed,
  paymentOpened,
  paymentRequested,
  paymentSettled,
} from "../payment/payment.fixture.ts";
import { wallet } from "../wallet/wallet.decider.ts";
import type { WalletEvent } from "../wallet/wallet.events.ts";
import {
  autoTopUpOff,
  autoTopUpOrdered,
  autoTopUpSet,
  methodStored,
  methodWithdrawn,
  walletAt as at,
} from "../wallet/wallet.fixture.ts";
import { nextOfAutoTopUp, nextOfMethodRemoval } from "./auto-top-up.work.ts";

const dayMs = 86_400_000;
const tomorrow = addMilliseconds(at, dayMs);
const next = (
  ofWallet: readonly WalletEvent[],
  ofPayment: readonly PaymentEvent[] = [],
  ofAccount: readonly AccountEvent[] = [],
  now = at,
) =>
  nextOfAutoTopUp(
    {
      wallet: [methodStored(), ...ofWallet].reduce(wallet.evolve, wallet.initialState),
      account: [opened(), ...ofAccount].reduce(account.evolve, account.initialState),
      lastPayment: ofPayment.reduce(payment.evolve, payment.initialState),
    },
    now,
  );
const on = [autoTopUpSet()];
const ordered = [...on, autoTopUpOrdered()];
const rich = credited({ reference: "sandbox-1", amount: "5000", balance: "5000" });
const erased: AccountEvent = {
  type: "PersonalDataErased",
  data: { accountId: 7, because: "asked", erasedAt: at },
};
const requested = paymentRequested({ methodId: 3 });
const revoked: PaymentEvent = {
  ...paymentFailed(),
  data: { ...paymentFailed().data, because: "mandate-revoked" },
};

describe("the work on automatic top-ups", () => {
  it("orders one when the balance is below the threshold", () => {
    expect(next(on)).toEqual({ do: { type: "order" } });
  });

  it("looks again in a day while the balance suffices, and never if they are off", () => {
    expect(next(on, [], rich)).toEqual({ wait: tomorrow });
    expect(next([])).toBe("done");
    expect(next([...on, autoTopUpOff()])).toBe("done");
  });

  it("requests the payment of an order, also if they were turned off since", () => {
    const request = { do: { type: "request", ordered: expect.objectContaining({ paymentId: 13 }) } };
    expect(next(ordered)).toEqual(request);
    expect(next([...ordered, autoTopUpOff()])).toEqual(request);
  });

  it.each([
    ["requested", [requested]],
    ["open", [requested, paymentOpened("")]],
    ["settled but not credited", [requested, paymentSettled()]],
  ])("waits for a payment that is %s, however late it is", (_state, events) => {
    expect(next(ordered, events, [], addMilliseconds(at, 10 * dayMs))).toBe("done");
  });

  it.each([
    ["failed", [requested, paymentFailed()], []],
    ["credited and spent", [requested, paymentSettled()], rich],
  ] as const)("orders the next a day after a top-up that is %s", (_state, events, credits) => {
    const spent = credits.length === 0 ? [] : [...credits, adjusted("-4900", "100")];
    expect(next(ordered, events, spent, addMilliseconds(at, dayMs - 1))).toEqual({ wait: tomorrow });
    expect(next(ordered, events, spent, tomorrow)).toEqual({ do: { type: "order" } });
  });

  it("orders the next a day after the payment was requested, which may be long after its order", () => {
    const late = [
      paymentRequested({ methodId: 3, requestedAt: addMilliseconds(at, dayMs - 1) }),
      paymentFailed(),
    ];
    const earliest = addMilliseconds(at, 2 * dayMs - 1);
    expect(next(ordered, late, [], tomorrow)).toEqual({ wait: earliest });
    expect(next(ordered, late, [], earliest)).toEqual({ do: { type: "order" } });
  });

  it("stops with a revoked mandate, until they are turned on again", () => {
    expect(next(ordered, [requested, revoked])).toEqual({ do: { type: "stop", methodId: 3 } });
    const again = autoTopUpSet({ setAt: addMilliseconds(at, 1) });
    expect(next([...ordered, again], [requested, revoked])).toEqual({ wait: tomorrow });
    expect(next([...ordered, again], [requested, revoked], [], tomorrow)).toEqual({ do: { type: "order" } });
  });

  it("withdraws the methods of an erased account, and orders nothing", () => {
    expect(next(on, [], [erased])).toEqual({ do: { type: "withdraw", methodId: 3 } });
    expect(next([methodWithdrawn("erased")], [], [erased])).toBe("done");
    expect(next([...ordered, methodWithdrawn("erased")], [], [erased])).toBe("done");
  });
});

describe("the work on a method", () => {
  it("removes it at the provider once it is withdrawn", () => {
    const stateOf = (...events: readonly WalletEvent[]) => {
      const method = events.reduce(wallet.evolve, wallet.initialState).methods.get(3);
      if (method === undefined) throw new Error("there is no method");
      return method;
    };
    expect(nextOfMethodRemoval(stateOf(methodStored()))).toBe("done");
    expect(nextOfMethodRemoval(stateOf(methodStored(), methodWithdrawn()))).toMatchObject({
      do: { type: "remove", method: { providerMethod: "method-1" } },
    });
  });
});

function adjusted(amountCents: string, balanceAfterCents: string): AccountEvent {
  return {
    type: "BalanceAdjusted",
    data: {
      kind: "debit",
      reference: "spent",
      amountCents,
      balanceAfterCents,
      reason: "Spent.",
      debtAllowed: false,
      adjustedAt: at,
    },
  };
}
