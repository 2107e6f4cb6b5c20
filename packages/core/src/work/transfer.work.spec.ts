import { expect, it } from "vitest";

import { addMilliseconds } from "../calendar/calendar.ts";
import { payment } from "../payment/payment.decider.ts";
import type { PaymentEvent } from "../payment/payment.events.ts";
import {
  paymentAt as at,
  paymentFailed,
  paymentRequested,
  paymentReturned,
  paymentSettled,
} from "../payment/payment.fixture.ts";
import { nextOfTransfer, transferDays } from "./transfer.work.ts";

const requested = paymentRequested({ provider: "bank", method: "transfer" });
const until = addMilliseconds(at, transferDays * 86_400_000);
const next = (events: readonly PaymentEvent[], now = until) =>
  nextOfTransfer(events.reduce(payment.evolve, payment.initialState), now);

it("a top-up by bank transfer waits for its money, then expires", () => {
  expect(next([requested], at)).toEqual({ wait: until });
  expect(next([requested])).toEqual({ do: { type: "expire" } });
});

it("a top-up that has ended, or for which money came, needs nothing", () => {
  const settled = paymentSettled({ providerReference: "bank DE89370400440532013000/1" });
  for (const events of [[paymentFailed()], [settled], [settled, paymentReturned()]])
    expect(next([requested, ...events])).toBe("done");
});
