import { assertNever } from "../kernel/assert-never.ts";
import {
  accept,
  CorruptStreamError,
  reject,
  type Command,
  type Decider,
  type Decision,
} from "../kernel/decider.ts";
import { formatEuros, maximumCents, topUpLimits, type Cents } from "../money/money.ts";
import {
  decideRefund,
  evolveRefund,
  hasOpenRefund,
  refundedOf,
  type RefundCommand,
  type Refunds,
} from "./refund.ts";
import type { PaymentEvent, PaymentFailure, PaymentRequested, PaymentSettled } from "./payment.events.ts";

/** Method of a top-up by bank transfer. */
export const transferMethod = "transfer";

/** Stands in place of a payment provider in top-ups by bank transfer, which bank statements settle. */
export const bankAsProvider = "bank";

/** The requested payment. */
export interface RequestedPayment extends Omit<PaymentRequested["data"], "amountCents"> {
  readonly amountCents: Cents;
}

/** What came. */
export interface SettledPayment extends Pick<PaymentSettled["data"], "providerReference" | "settledAt"> {
  readonly amountCents: Cents;
}

export type PaymentState =
  | { readonly status: "absent" }
  | { readonly status: "requested"; readonly requested: RequestedPayment }
  | { readonly status: "open"; readonly requested: RequestedPayment; readonly redirectUrl: string }
  | { readonly status: "failed"; readonly requested: RequestedPayment; readonly because: PaymentFailure }
  | {
      readonly status: "settled";
      readonly requested: RequestedPayment;
      readonly settled: SettledPayment;
      readonly refunds: Refunds;
    }
  | {
      readonly status: "returned";
      readonly requested: RequestedPayment;
      readonly settled: SettledPayment;
      readonly refunds: Refunds;
      readonly reason: string;
      /** What the provider took, in cents (EUR): at most what refunds had left. */
      readonly returnedCents: Cents;
    };

/** Begins a payment, once. */
export type RequestPayment = Command<
  "RequestPayment",
  Omit<RequestedPayment, "requestedAt"> & { readonly at: string }
>;

/** Records that the provider waits for the customer. */
export type RecordPaymentOpened = Command<"RecordPaymentOpened", { readonly redirectUrl: string }>;

/**
 * Records the amount received. For a bank transfer: the sum that was received and is on the account now, which may
 * change.
 */
export type RecordPaymentSettled = Command<
  "RecordPaymentSettled",
  {
    readonly amountCents: Cents;
    readonly feeCents: Cents;
    readonly providerReference: string;
    readonly valueDate: string;
  }
>;

export type RecordPaymentFailed = Command<
  "RecordPaymentFailed",
  { readonly because: PaymentFailure; readonly reason: string }
>;

/** Records that the provider took the payment back. */
export type RecordPaymentReturned = Command<
  "RecordPaymentReturned",
  {
    readonly reason: string;
    readonly feeCents: Cents;
    readonly valueDate: string;
    /** What the provider took, in cents (EUR). Default: what refunds left. */
    readonly amountCents?: Cents;
  }
>;

export type PaymentCommand =
  | RequestPayment
  | RecordPaymentOpened
  | RecordPaymentSettled
  | RecordPaymentFailed
  | RecordPaymentReturned
  | RefundCommand;

/** Rules of a payment: the provider's answer is recorded once, and received money is never refused. */
export const payment: Decider<PaymentCommand, PaymentState, PaymentEvent> = {
  initialState: { status: "absent" },
  decide,
  evolve,
};

function decide(command: PaymentCommand, state: PaymentState): Decision<PaymentEvent> {
  if (command.type === "RequestPayment") return request(command, state);
  if (state.status === "absent") return reject("not-found", "There is no such payment.");
  const { paymentId, accountId } = state.requested;
  const ids = { paymentId, accountId };
  switch (command.type) {
    case "RecordPaymentOpened": {
      const { redirectUrl, at } = command.data;
      if (state.status !== "requested") return accept();
      return accept({ type: "PaymentOpened", data: { ...ids, redirectUrl, openedAt: at } });
    }
    case "RecordPaymentSettled":
      return settle(command, state);
    case "RecordPaymentFailed": {
      const { because, reason, at } = command.data;
      if (state.status !== "requested" && state.status !== "open") return accept();
      return accept({ type: "PaymentFailed", data: { ...ids, because, reason, failedAt: at } });
    }
    case "RecordPaymentReturned": {
      const { reason, feeCents, valueDate, at } = command.data;
      if (state.status === "returned") return accept();
      if (state.status !== "settled")
        return reject("validation-failed", "A payment that was not settled cannot be returned.");
      // The amount of the chargeback depends on the outcome of the refunds.
      if (hasOpenRefund(state))
        return reject("validation-failed", "A refund of the payment is in progress: wait for its end.");
      const left = state.settled.amountCents - refundedOf(state);
      const { amountCents = left } = command.data;
      if (amountCents < 0n || amountCents > left)
        return reject(
          "validation-failed",
          `The provider took ${formatEuros(amountCents)} EUR, and refunds left ${formatEuros(left)} EUR.`,
        );
      return accept({
        type: "PaymentReturned",
        data: {
          ...ids,
          amountCents: String(amountCents),
          feeCents: String(feeCents),
          reason,
          valueDate,
          returnedAt: at,
        },
      });
    }
    case "OrderRefund":
    case "RecordRefundSettled":
    case "RecordRefundRefused":
      return state.status === "settled" || state.status === "returned"
        ? decideRefund(command, state)
        : reject("validation-failed", "A payment that was not settled cannot be refunded.");
    default:
      return assertNever(command);
  }
}

function request({ data }: RequestPayment, state: PaymentState): Decision<PaymentEvent> {
  // A repetition of the request finds its payment.
  if (state.status !== "absent") return accept();
  const { amountCents, at, ...asked } = data;
  const { leastCents, mostCents } = topUpLimits;
  if (amountCents < leastCents || amountCents > mostCents)
    return reject("validation-failed", "The amount is out of range.", {
      fieldErrors: { amount: ["must be 1.00 to 10000.00 euros"] },
    });
  return accept({
    type: "PaymentRequested",
    data: { ...asked, amountCents: String(amountCents), requestedAt: at },
  });
}

/** Several bank transfers may come for one top-up, and staff may move them to other accounts and back. */
function isTransfer({ requested }: { readonly requested: RequestedPayment }): boolean {
  return requested.provider === bankAsProvider;
}

function settle(
  { data }: RecordPaymentSettled,
  state: Exclude<PaymentState, { readonly status: "absent" }>,
): Decision<PaymentEvent> {
  const { amountCents, feeCents, providerReference, valueDate, at } = data;
  if (state.status === "settled" || state.status === "returned") {
    const { settled } = state;
    const isSame = settled.providerReference === providerReference && settled.amountCents === amountCents;
    if (isSame && (state.status === "settled" || !isTransfer(state))) return accept();
    if (!isTransfer(state))
      return reject(
        "reference-conflict",
        "The payment was already settled with another amount or reference.",
      );
  }
  if (amountCents <= 0n || amountCents > maximumCents)
    return reject("validation-failed", "The settled amount is out of range.", {
      fieldErrors: { amount: ["must be above zero and at most one billion euros"] },
    });
  const { paymentId, accountId } = state.requested;
  return accept({
    type: "PaymentSettled",
    data: {
      paymentId,
      accountId,
      amountCents: String(amountCents),
      feeCents: String(feeCents),
      providerReference,
      valueDate,
      settledAt: at,
    },
  });
}

function evolve(state: PaymentState, event: PaymentEvent): PaymentState {
  const cannotFollow = () => new CorruptStreamError(event.type, state.status);
  if (event.type === "PaymentRequested") {
    if (state.status !== "absent") throw cannotFollow();
    return { status: "requested", requested: { ...event.data, amountCents: BigInt(event.data.amountCents) } };
  }
  if (state.status === "absent") throw cannotFollow();
  const { requested } = state;
  switch (event.type) {
    case "PaymentOpened":
      if (state.status !== "requested") throw cannotFollow();
      return { status: "open", requested, redirectUrl: event.data.redirectUrl };
    case "PaymentSettled": {
      if ((state.status === "settled" || state.status === "returned") && !isTransfer(state))
        throw cannotFollow();
      const { amountCents, providerReference, settledAt } = event.data;
      return {
        status: "settled",
        requested,
        settled: { amountCents: BigInt(amountCents), providerReference, settledAt },
        refunds: new Map(),
      };
    }
    case "PaymentFailed":
      if (state.status !== "requested" && state.status !== "open") throw cannotFollow();
      return { status: "failed", requested, because: event.data.because };
    case "PaymentReturned":
      if (state.status !== "settled") throw cannotFollow();
      return {
        ...state,
        status: "returned",
        reason: event.data.reason,
        returnedCents: BigInt(event.data.amountCents),
      };
    case "RefundOrdered":
    case "RefundSettled":
    case "RefundRefused":
      if (state.status !== "settled" && state.status !== "returned") throw cannotFollow();
      return { ...state, refunds: evolveRefund(state.refunds, event) };
    default:
      return assertNever(event);
  }
}
