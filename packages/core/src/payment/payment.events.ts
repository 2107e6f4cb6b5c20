import { z } from "zod";

import { eventCodec } from "../kernel/event-codec.ts";
import { defineEvents, event, shape, type EventOf } from "../kernel/event-definition.ts";
import { cents, day, flag, id, instant, line, staffReason, text } from "../kernel/fields.ts";

/** Maximum characters of a URL to which a customer is sent. */
export const longestPaymentUrl = 2_048;

/** Why no money came. */
export const paymentFailures = [
  /** The customer's bank or card refuses. */
  "declined",
  /** The provider refuses the order, or it was not sent. */
  "refused",
  /** The customer withdrew the mandate at his bank. */
  "mandate-revoked",
  /** The customer did not pay in time. */
  "expired",
] as const;

export type PaymentFailure = (typeof paymentFailures)[number];

/** Id of a refund, which the payment provider gets too. */
const refundId = line(200);

const payment = { paymentId: id, accountId: id };

const requestedV1 = {
  ...payment,
  /** Name of the payment provider; `bank` for a bank transfer. */
  provider: line(50),
  method: line(50),
  amountCents: cents,
  /** Page to which the customer returns after paying; empty for no page. */
  returnUrl: line(longestPaymentUrl),
  requestedAt: instant,
};

const returnedV1 = {
  ...payment,
  /** Amount that the provider took: at most what refunds had left. */
  amountCents: cents,
  /** The provider's words. */
  reason: text,
  valueDate: day,
  returnedAt: instant,
};

/** Events of a payment by a customer (stream `payment-<random part>-<operation>`). */
export const paymentEvents = defineEvents({
  PaymentRequested: event(
    "A customer asked to pay money in. The event is stored before the payment provider is called.",
    {
      ...requestedV1,
      /** True if the customer agreed that the provider stores the method for later payments. */
      storesMethod: flag,
      /** The account's stored method that pays; null if the customer pays on a page. */
      methodId: id.nullable(),
    },
    { was: [shape(requestedV1), (older) => ({ ...older, storesMethod: false, methodId: null })] },
  ),
  PaymentOpened: event("The payment provider took the order, and waits for the customer to pay.", {
    ...payment,
    /** Page of the provider on which the customer pays; empty for no page. */
    redirectUrl: line(longestPaymentUrl),
    openedAt: instant,
  }),
  PaymentSettled: event(
    "The payment provider has the customer's money. The balance is credited next, under the provider's reference. A bank transfer is credited before, and settled again when the sum of what came for it changes.",
    {
      ...payment,
      /** Amount received, which may differ from the requested amount. */
      amountCents: cents,
      /** Fee that the provider keeps. */
      feeCents: cents,
      providerReference: text,
      /** Day on which the provider counts the money as ours (UTC). */
      valueDate: day,
      settledAt: instant,
    },
  ),
  PaymentFailed: event(
    "The payment provider says that no money comes. Money that comes later is still settled.",
    {
      ...payment,
      because: z.enum(paymentFailures),
      /** The provider's words. */
      reason: text,
      failedAt: instant,
    },
  ),
  PaymentReturned: event(
    "The payment provider took a settled payment back, for example by a chargeback. The balance is debited next, also into debt.",
    {
      ...returnedV1,
      /** Fee that the provider takes for taking the payment back, in addition to the amount. */
      feeCents: cents,
    },
    { was: [shape(returnedV1), (older) => ({ ...older, feeCents: "0" })] },
  ),
  RefundOrdered: event(
    "Staff ordered that money of a settled payment goes back to its source. The balance is debited before, and the payment provider is called next.",
    { ...payment, refundId, amountCents: cents, reason: staffReason, orderedAt: instant },
  ),
  RefundSettled: event("The payment provider sent the money of a refund back to its source.", {
    ...payment,
    refundId,
    amountCents: cents,
    /** The provider's reference of the refund. */
    providerReference: text,
    /** Day on which the provider took the money from us (UTC). */
    valueDate: day,
    settledAt: instant,
  }),
  RefundRefused: event(
    "The money of a refund did not go back: the payment provider refused, or the money came back to us after all. The balance is credited again next.",
    {
      ...payment,
      refundId,
      amountCents: cents,
      /** The provider's words. */
      reason: text,
      refusedAt: instant,
    },
  ),
});

export type PaymentEvent = EventOf<typeof paymentEvents>;
export type PaymentRequested = EventOf<typeof paymentEvents, "PaymentRequested">;
export type RefundOrdered = EventOf<typeof paymentEvents, "RefundOrdered">;
export type PaymentSettled = EventOf<typeof paymentEvents, "PaymentSettled">;

export const paymentCodec = eventCodec(paymentEvents);
