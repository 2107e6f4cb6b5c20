import { accept, CorruptStreamError, reject, type Command, type Decision } from "../kernel/decider.ts";
import { formatEuros, type Cents } from "../money/money.ts";
import type { PaymentEvent, RefundOrdered } from "./payment.events.ts";

/** A refund of a payment to its source. */
export interface Refund extends Pick<RefundOrdered["data"], "refundId" | "reason" | "orderedAt"> {
  readonly amountCents: Cents;
  /** `refused` also if the money came back to us after it was sent. */
  readonly status: "ordered" | "settled" | "refused";
  /** Time at which the provider sent the money; null before. */
  readonly settledAt: string | null;
  /** The provider's words; empty unless it refused. */
  readonly refusedBecause: string;
}

/** Refunds by id, in the order of their orders. */
export type Refunds = ReadonlyMap<string, Refund>;

/** Orders a refund, once; the account was debited before. */
export type OrderRefund = Command<
  "OrderRefund",
  { readonly refundId: string; readonly amountCents: Cents; readonly reason: string }
>;

/** Records that the provider sent the money. */
export type RecordRefundSettled = Command<
  "RecordRefundSettled",
  { readonly refundId: string; readonly providerReference: string; readonly valueDate: string }
>;

/** Records that no money goes back, or that it came back to us. */
export type RecordRefundRefused = Command<
  "RecordRefundRefused",
  { readonly refundId: string; readonly reason: string }
>;

export type RefundCommand = OrderRefund | RecordRefundSettled | RecordRefundRefused;

/** A payment with its refunds. */
interface RefundablePayment {
  readonly status: "settled" | "returned";
  readonly requested: { readonly paymentId: number; readonly accountId: number };
  readonly settled: { readonly amountCents: Cents };
  readonly refunds: Refunds;
}
type RefundEvent = Extract<PaymentEvent, { type: "RefundOrdered" | "RefundSettled" | "RefundRefused" }>;

/** Returns the id of a payment's refund. @param orderId of the payment @param number from 1 */
export function refundIdOf(orderId: string, number: number): string {
  return `${orderId}-refund-${String(number)}`;
}

/** Returns the order id of a refund's payment; undefined for another text. */
export function paymentOfRefund(refundId: string): string | undefined {
  return /^(payment-.+)-refund-[1-9]\d*$/.exec(refundId)?.[1];
}

/** Returns true while the outcome of a refund is unknown. */
export function hasOpenRefund({ refunds }: Pick<RefundablePayment, "refunds">): boolean {
  return [...refunds.values()].some(({ status }) => status === "ordered");
}

/** Returns the cents (EUR) that went back to the source, or are to. */
export function refundedOf({ refunds }: Pick<RefundablePayment, "refunds">): Cents {
  return [...refunds.values()].reduce(
    (cents, { status, amountCents }) => (status === "refused" ? cents : cents + amountCents),
    0n,
  );
}

/** Decides about refunds. Their sum is at most the amount received, and an answer of the provider is recorded once. */
export function decideRefund(command: RefundCommand, state: RefundablePayment): Decision<PaymentEvent> {
  if (command.type === "OrderRefund") return orderRefund(command, state);
  const { refundId, at } = command.data;
  const refund = state.refunds.get(refundId);
  if (refund === undefined) return reject("not-found", "The payment has no such refund.");
  const { paymentId, accountId } = state.requested;
  const data = { paymentId, accountId, refundId, amountCents: String(refund.amountCents) };
  if (command.type === "RecordRefundRefused") {
    if (refund.status === "refused") return accept();
    const { reason } = command.data;
    return accept({ type: "RefundRefused", data: { ...data, reason, refusedAt: at } });
  }
  if (refund.status === "settled") return accept();
  if (refund.status === "refused")
    return reject("validation-failed", "The refund was refused before, and its money was credited again.");
  const { providerReference, valueDate } = command.data;
  return accept({ type: "RefundSettled", data: { ...data, providerReference, valueDate, settledAt: at } });
}

function orderRefund({ data }: OrderRefund, state: RefundablePayment): Decision<PaymentEvent> {
  const { refundId, amountCents, reason, at } = data;
  const known = state.refunds.get(refundId);
  if (known !== undefined) return known.amountCents === amountCents ? accept() : reject("reference-conflict");
  const { paymentId, accountId } = state.requested;
  const asked = { paymentId, accountId, refundId, amountCents: String(amountCents) };
  const ordered = { type: "RefundOrdered", data: { ...asked, reason, orderedAt: at } } as const;
  // The payment was taken back between the debit and this order: nothing is sent, and the debit is undone.
  if (state.status === "returned") {
    const why = "The payment was taken back before it could be refunded.";
    return accept(ordered, { type: "RefundRefused", data: { ...asked, reason: why, refusedAt: at } });
  }
  const left = state.settled.amountCents - refundedOf(state);
  if (amountCents > 0n && amountCents <= left) return accept(ordered);
  return reject("validation-failed", `${formatEuros(left)} EUR of the payment are left to refund.`);
}

/** Applies an event of a refund. @throws CorruptStreamError if it cannot follow the state */
export function evolveRefund(refunds: Refunds, { type, data }: RefundEvent): Refunds {
  const { refundId } = data;
  const known = refunds.get(refundId);
  const change = (refund: Refund): Refunds => new Map([...refunds, [refundId, refund]]);
  if (type === "RefundOrdered") {
    if (known !== undefined) throw new CorruptStreamError(type, `${refundId} is there already`);
    const { reason, orderedAt } = data;
    const amountCents = BigInt(data.amountCents);
    return change({
      refundId,
      reason,
      orderedAt,
      amountCents,
      status: "ordered",
      settledAt: null,
      refusedBecause: "",
    });
  }
  const mayFollow = type === "RefundSettled" ? ["ordered"] : ["ordered", "settled"];
  if (known === undefined || !mayFollow.includes(known.status))
    throw new CorruptStreamError(type, `refund ${refundId} ${known?.status ?? "absent"}`);
  return change(
    type === "RefundSettled"
      ? { ...known, status: "settled", settledAt: data.settledAt }
      : { ...known, status: "refused", refusedBecause: data.reason },
  );
}
