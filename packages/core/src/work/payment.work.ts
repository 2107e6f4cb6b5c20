import { isTakenBack } from "../account/adjust-balance.ts";
import type { AccountState, OpenAccountState } from "../account/account.state.ts";
import { refundsOf } from "../account/refunded.ts";
import { addMilliseconds, epochMilliseconds } from "../calendar/calendar.ts";
import type { Cents } from "../money/money.ts";
import type { PaymentState, SettledPayment } from "../payment/payment.decider.ts";
import type { OrderRefund, Refund, Refunds } from "../payment/refund.ts";
import type { Next } from "./next.ts";

/** The states from which the work on a payment decides. */
export interface WorkedPayment {
  readonly payment: PaymentState;
  readonly account: AccountState;
}

export type PaymentEffect =
  /** Orders the payment at the provider. */
  | { readonly type: "open" }
  /** Asks the provider what became of the payment. */
  | {
      readonly type: "ask";
      readonly againAfterMs: number;
      /** True if a payment that is still open has expired. */
      readonly isLast: boolean;
    }
  /** Credits what came, under the provider's reference. */
  | { readonly type: "credit"; readonly settled: SettledPayment }
  /** Stores the order of a refund, after its debit and before the provider is called. */
  | { readonly type: "order-refund"; readonly order: Omit<OrderRefund["data"], "at"> }
  /** Asks the provider about a refund, and orders it there if the provider does not know it. */
  | { readonly type: "refund"; readonly refund: Refund; readonly againAfterMs: number }
  /** Credits a refund again that the provider refused. */
  | { readonly type: "give-back"; readonly refund: Refund; readonly reason: string }
  /** Takes what the provider took of a payment back from the balance. */
  | {
      readonly type: "take-back";
      readonly reference: string;
      readonly amountCents: Cents;
      readonly reason: string;
    };

/** Time after the settlement for which the provider is asked whether the payment stayed. Cards allow chargebacks for 120 days. */
const returnableMs = 120 * 86_400_000;

/** Time after which the money of a refund no longer comes back, in milliseconds: 30 days. */
const refundReturnableMs = 30 * 86_400_000;

/** Days for which a payment waits for its customer. */
export const openPaymentDays = 60;

/** Pauses between two questions about a payment, in milliseconds: a quarter of its age, within these limits. */
const pauseMs = { least: 2_000, most: 86_400_000 };

/** Returns true while the work engine asks the provider about a payment by itself. */
export function isAskedAbout(payment: PaymentState, now: string): boolean {
  switch (payment.status) {
    case "absent":
    case "failed":
      return false;
    case "requested":
    case "open":
      return true;
    case "settled":
      return now < addMilliseconds(payment.settled.settledAt, returnableMs) || mayRefundFail(payment, now);
    case "returned":
      return mayRefundFail(payment, now);
  }
}

/** Returns true if the money of a refund was sent and may still come back to us. */
export function mayComeBack({ status, settledAt }: Refund, now: string): boolean {
  return status === "settled" && settledAt !== null && now < addMilliseconds(settledAt, refundReturnableMs);
}

function mayRefundFail({ refunds }: { readonly refunds: Refunds }, now: string): boolean {
  return [...refunds.values()].some((refund) => mayComeBack(refund, now));
}

/** Decides the next step of a payment: its order, questions about it, and the resulting movements of the balance. */
export function nextOfPayment({ payment, account }: WorkedPayment, now: string): Next<PaymentEffect> {
  switch (payment.status) {
    case "absent":
    case "failed":
      return "done";
    case "requested":
      return { do: { type: "open" } };
    case "open":
      return { do: askOpen(payment.requested.requestedAt, now) };
    case "settled":
    case "returned":
      return nextOfMoney(payment, account, now);
  }
}

function nextOfMoney(
  payment: Extract<PaymentState, { readonly settled: SettledPayment }>,
  account: AccountState,
  now: string,
): Next<PaymentEffect> {
  const { settled } = payment;
  const reference = settled.providerReference;
  if (account.status !== "open") return { stopped: `The account of the payment ${reference} is not open.` };
  const credit = account.credits.get(reference);
  if (credit === undefined) return { do: { type: "credit", settled } };
  if (credit.amountCents !== settled.amountCents)
    return {
      stopped: `The account has another amount under the reference ${reference} than the payment provider.`,
    };
  // Refunds end first, because a chargeback takes what is left.
  const refund = nextOfRefunds(payment, account, now);
  if (refund !== undefined) return { do: refund };
  if (payment.status === "returned") {
    const { returnedCents: amountCents } = payment;
    if (!isTakenBack(account, reference) && amountCents !== 0n)
      return { do: { type: "take-back", reference, amountCents, reason: payment.reason } };
  }
  return isAskedAbout(payment, now)
    ? { do: { type: "ask", againAfterMs: pauseAfter(settled.settledAt, now), isLast: false } }
    : "done";
}

/** Returns the next step of a payment's refunds; undefined if the outcome of each is known. */
function nextOfRefunds(
  { settled, refunds }: Extract<PaymentState, { readonly settled: SettledPayment }>,
  account: OpenAccountState,
  now: string,
): PaymentEffect | undefined {
  for (const { reference: refundId, amountCents, reason, isReturned } of refundsOf(
    account,
    settled.providerReference,
  )) {
    const refund = refunds.get(refundId);
    if (refund === undefined) return { type: "order-refund", order: { refundId, amountCents, reason } };
    if (refund.status === "ordered")
      return { type: "refund", refund, againAfterMs: pauseAfter(refund.orderedAt, now) };
    if (refund.status === "refused" && !isReturned)
      return { type: "give-back", refund, reason: refund.refusedBecause };
  }
  return undefined;
}

function askOpen(since: string, now: string): PaymentEffect {
  const isLast = now >= addMilliseconds(since, openPaymentDays * 86_400_000);
  return { type: "ask", againAfterMs: pauseAfter(since, now), isLast };
}

function pauseAfter(since: string, now: string): number {
  const ageMs = epochMilliseconds(now) - epochMilliseconds(since);
  return Math.min(Math.max(ageMs / 4, pauseMs.least), pauseMs.most);
}
