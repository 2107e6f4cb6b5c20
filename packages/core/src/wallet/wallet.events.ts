import { z } from "zod";

import { eventCodec } from "../kernel/event-codec.ts";
import { defineEvents, event, type EventOf } from "../kernel/event-definition.ts";
import { cents, flag, id, instant, line, personal } from "../kernel/fields.ts";

/** Why a customer's consent to a stored method ended. */
export const withdrawalReasons = [
  /** The customer withdrew the consent. */
  "asked",
  /** The account's personal data was erased. */
  "erased",
] as const;

export type WithdrawalReason = (typeof withdrawalReasons)[number];

/** Why automatic top-ups stopped without the customer asking. */
export const autoTopUpStops = [
  /** The stored method was withdrawn. */
  "method-withdrawn",
  /** The payment provider says that the stored method cannot pay any more. */
  "mandate-revoked",
] as const;

export type AutoTopUpStop = (typeof autoTopUpStops)[number];

/** Events of an account's stored payment methods and its automatic top-up (stream `wallet-<account>`). */
export const walletEvents = defineEvents({
  MethodStored: event(
    "The payment provider stored a method for later payments. The customer agreed when the payment was requested.",
    {
      accountId: id,
      methodId: id,
      /** Name of the payment provider. */
      provider: line(50),
      /** The provider's id of the method. */
      providerMethod: line(200),
      kind: line(50),
      /** Description for the customer, such as "Visa …4242". */
      label: personal(line(100)),
      /** Payment with which the customer agreed. */
      paymentId: id,
      storedAt: instant,
    },
  ),
  MethodWithdrawn: event(
    "The consent to a stored method ended: no later payment is ordered on the method, and the payment provider is asked to remove it.",
    { accountId: id, methodId: id, because: z.enum(withdrawalReasons), withdrawnAt: instant },
  ),
  MethodRemoved: event("The payment provider removed a withdrawn method.", {
    accountId: id,
    methodId: id,
    removedAt: instant,
  }),
  AutoTopUpSet: event("The customer turned automatic top-ups on, with these terms, or off.", {
    accountId: id,
    isEnabled: flag,
    /** The balance is topped up when it is below this amount; null if off. */
    thresholdCents: cents.nullable(),
    /** Amount of each top-up; null if off. */
    amountCents: cents.nullable(),
    /** The stored method that pays; null if off. */
    methodId: id.nullable(),
    setAt: instant,
  }),
  AutoTopUpOrdered: event(
    "The balance was below the threshold. The event is stored before the payment is requested, so that a day has one at most.",
    {
      accountId: id,
      paymentId: id,
      /** Name of the payment's stream without the category. */
      paymentKey: line(100),
      methodId: id,
      amountCents: cents,
      orderedAt: instant,
    },
  ),
  AutoTopUpStopped: event("Automatic top-ups stopped, because the stored method cannot pay any more.", {
    accountId: id,
    methodId: id,
    because: z.enum(autoTopUpStops),
    stoppedAt: instant,
  }),
});

export type WalletEvent = EventOf<typeof walletEvents>;

export const walletCodec = eventCodec(walletEvents);
