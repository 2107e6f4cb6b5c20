import { addMilliseconds } from "../calendar/calendar.ts";
import type { PaymentState } from "../payment/payment.decider.ts";
import type { Next } from "./next.ts";

/** Days for which a top-up by bank transfer waits for its money. */
export const transferDays = 30;

/** Ends a top-up for which no money came. Money that comes later is still credited. */
export interface TransferEffect {
  readonly type: "expire";
}

/** Decides when a top-up by bank transfer ends without money. What comes is recorded by the work on entries of the bank. */
export function nextOfTransfer(payment: PaymentState, now: string): Next<TransferEffect> {
  if (payment.status !== "requested") return "done";
  const until = addMilliseconds(payment.requested.requestedAt, transferDays * 86_400_000);
  return now >= until ? { do: { type: "expire" } } : { wait: until };
}
