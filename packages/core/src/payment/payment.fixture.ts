import type { PaymentEvent } from "./payment.events.ts";

/** Examples of the events of payment 12 on account 7, for specs. */

export const paymentAt = "2026-03-01T10:00:00.000000Z";

const ids = { paymentId: 12, accountId: 7 };

type Of<Type extends PaymentEvent["type"]> = Extract<PaymentEvent, { readonly type: Type }>;

export function paymentRequested(
  change: Partial<Of<"PaymentRequested">["data"]> = {},
): Of<"PaymentRequested"> {
  return {
    type: "PaymentRequested",
    data: {
      ...ids,
      provider: "sandbox",
      method: "card",
      amountCents: "5000",
      returnUrl: "",
      storesMethod: false,
      methodId: null,
      requestedAt: paymentAt,
      ...change,
    },
  };
}

export function paymentOpened(redirectUrl = "https://pay.example/1"): Of<"PaymentOpened"> {
  return { type: "PaymentOpened", data: { ...ids, redirectUrl, openedAt: paymentAt } };
}

export function paymentSettled(change: Partial<Of<"PaymentSettled">["data"]> = {}): Of<"PaymentSettled"> {
  return {
    type: "PaymentSettled",
    data: {
      ...ids,
      amountCents: "5000",
      feeCents: "100",
      providerReference: "sandbox-1",
      valueDate: "2026-03-01",
      settledAt: paymentAt,
      ...change,
    },
  };
}

export function paymentFailed(): Of<"PaymentFailed"> {
  return {
    type: "PaymentFailed",
    data: { ...ids, because: "declined", reason: "No.", failedAt: paymentAt },
  };
}

const refundData = { ...ids, refundId: "payment-k3x7m2-1-refund-1", amountCents: "2000" };

export function refundOrdered(change: Partial<Of<"RefundOrdered">["data"]> = {}): Of<"RefundOrdered"> {
  return {
    type: "RefundOrdered",
    data: { ...refundData, reason: "Not needed", orderedAt: paymentAt, ...change },
  };
}

export function refundSettled(change: Partial<Of<"RefundSettled">["data"]> = {}): Of<"RefundSettled"> {
  return {
    type: "RefundSettled",
    data: {
      ...refundData,
      providerReference: "sandbox-refund-1",
      valueDate: "2026-03-02",
      settledAt: paymentAt,
      ...change,
    },
  };
}

export function refundRefused(change: Partial<Of<"RefundRefused">["data"]> = {}): Of<"RefundRefused"> {
  return {
    type: "RefundRefused",
    data: { ...refundData, reason: "The card is closed.", refusedAt: paymentAt, ...change },
  };
}

export function paymentReturned(): Of<"PaymentReturned"> {
  return {
    type: "PaymentReturned",
    data: {
      ...ids,
      amountCents: "5000",
      feeCents: "2000",
      reason: "Chargeback.",
      valueDate: "2026-03-02",
      returnedAt: paymentAt,
    },
  };
}
