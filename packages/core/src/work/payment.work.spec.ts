import { describe, expect, it } from "vitest";

import { account } from "../account/account.decider.ts";
import type { AccountEvent } from "../account/account.events.ts";
import { credited, opened } from "../account/account.fixture.ts";
import { paidOutReturned, refundPaidOut } from "../account/pay-out.fixture.ts";
import { addMilliseconds } from "../calendar/calendar.ts";
import { payment } from "../payment/payment.decider.ts";
import type { PaymentEvent } from "../payment/payment.events.ts";
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
} from "../payment/payment.fixture.ts";
import { nextOfPayment } from "./payment.work.ts";

const dayMs = 86_400_000;
const next = (events: readonly PaymentEvent[], ofAccount: readonly AccountEvent[] = [], now = at) =>
  nextOfPayment(
    {
      payment: events.reduce(payment.evolve, payment.initialState),
      account: [opened(), ...ofAccount].reduce(account.evolve, account.initialState),
    },
    now,
  );
const credit = credited({ reference: "sandbox-1", amount: "5000", balance: "5000" });
const takenBack: AccountEvent = {
  type: "BalanceAdjusted",
  data: {
    kind: "top-up-reversed",
    reference: "sandbox-1",
    amountCents: "-5000",
    balanceAfterCents: "0",
    reason: "Chargeback.",
    debtAllowed: true,
    adjustedAt: at,
  },
};

describe("the work on a payment", () => {
  it("orders it, then asks for its outcome", () => {
    expect(next([paymentRequested()])).toEqual({ do: { type: "open" } });
    expect(next([paymentRequested(), paymentOpened()])).toEqual({
      do: { type: "ask", againAfterMs: 2_000, isLast: false },
    });
  });

  it.each([
    [60_000, 15_000],
    [dayMs, dayMs / 4],
    [30 * dayMs, dayMs],
  ])("asks about a payment of the age %d ms again after %d ms", (ageMs, againAfterMs) => {
    expect(next([paymentRequested(), paymentOpened()], [], addMilliseconds(at, ageMs))).toEqual({
      do: { type: "ask", againAfterMs, isLast: false },
    });
  });

  it("asks for the last time after 60 days", () => {
    const events = [paymentRequested(), paymentOpened()];
    const days = (count: number) => next(events, [], addMilliseconds(at, count * dayMs));
    expect(days(59)).toMatchObject({ do: { type: "ask", isLast: false } });
    expect(days(60)).toMatchObject({ do: { type: "ask", isLast: true } });
  });

  it("ends with a failure", () => {
    expect(next([paymentRequested(), paymentFailed()])).toBe("done");
  });

  it("credits the amount received, under the provider's reference, once", () => {
    const events = [paymentRequested(), paymentSettled({ amountCents: "2500" })];
    expect(next(events)).toMatchObject({
      do: { type: "credit", settled: { amountCents: 2_500n, providerReference: "sandbox-1" } },
    });
    expect(next([paymentRequested(), paymentSettled()], credit)).toMatchObject({ do: { type: "ask" } });
  });

  it("waits for staff if the account has another amount under the reference", () => {
    expect(next([paymentRequested(), paymentSettled({ amountCents: "2500" })], credit)).toEqual({
      stopped: expect.stringContaining("sandbox-1"),
    });
  });

  it("asks for 120 days whether the money stayed", () => {
    const events = [paymentRequested(), paymentSettled()];
    const days = (count: number) => next(events, credit, addMilliseconds(at, count * dayMs));
    expect(days(119)).toMatchObject({ do: { type: "ask", againAfterMs: dayMs } });
    expect(days(120)).toBe("done");
  });

  it("asks for 30 days after a refund whether its money came back, also about an old or a returned payment", () => {
    const refundId = "payment-k3x7m2-1-refund-1";
    const days = (count: number) => addMilliseconds(at, count * dayMs);
    const late = { settledAt: days(119) };
    const refunded = [paymentRequested(), paymentSettled(), refundOrdered({ refundId }), refundSettled(late)];
    const paidOut = [
      ...credit,
      refundPaidOut({
        reference: refundId,
        topUpReference: "sandbox-1",
        amountCents: "2000",
        balanceAfterCents: "3000",
      }),
    ];
    expect(next(refunded, paidOut, days(148))).toMatchObject({ do: { type: "ask" } });
    expect(next(refunded, paidOut, days(149))).toBe("done");
    const returned = [...refunded, paymentReturned()];
    const rest = { ...takenBack, data: { ...takenBack.data, amountCents: "-3000" } };
    expect(next(returned, [...paidOut, rest], days(148))).toMatchObject({ do: { type: "ask" } });
    expect(next(returned, [...paidOut, rest], days(149))).toBe("done");
  });

  it("debits a returned payment once, after its credit", () => {
    const events = [paymentRequested(), paymentSettled(), paymentReturned()];
    expect(next(events)).toMatchObject({ do: { type: "credit" } });
    expect(next(events, credit)).toEqual({
      do: { type: "take-back", reference: "sandbox-1", amountCents: 5_000n, reason: "Chargeback." },
    });
    expect(next(events, [...credit, takenBack])).toBe("done");
  });

  it("takes of a returned payment what the provider took, also if a refund failed meanwhile", () => {
    const refundId = "payment-k3x7m2-1-refund-1";
    const took = paymentReturned();
    const returned = { ...took, data: { ...took.data, amountCents: "3000" } };
    const of = { reference: refundId, topUpReference: "sandbox-1", amountCents: "2000" };
    const paidOut = [...credit, refundPaidOut({ ...of, balanceAfterCents: "3000" })];
    const events = [
      paymentRequested(),
      paymentSettled(),
      refundOrdered({ refundId }),
      refundSettled({ refundId }),
    ];
    const failed = [...events, returned, refundRefused({ refundId })];
    expect(next(failed, paidOut)).toMatchObject({ do: { type: "give-back" } });
    const back = paidOutReturned({ to: "source", reference: refundId, balanceAfterCents: "5000" });
    expect(next(failed, [...paidOut, back])).toMatchObject({
      do: { type: "take-back", amountCents: 3_000n },
    });
  });
});
