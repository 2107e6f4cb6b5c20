import { charge, held, transfer, at } from "../domain/domain-transfer.fixture.ts";
import { inputsOf, quietMs } from "./paid-order/paid-order.fixture.ts";
import { paidOrder } from "./paid-order/paid-order.ts";
import { samples as registrarEvents } from "./registration.fixture.ts";
import type { TransferEvent } from "./transfer.events.ts";
import { transferIn } from "./transfer.process.ts";

/** Examples of a transfer run for specs: account 7 transfers example.com to us in the run t-1. */

export { at, charge, held, transfer };

/** Time of the first inquiry about the pending order. */
export const soon = "2026-03-01T10:00:01.000000Z";

export const subject = { ...transfer, startedAt: at };
export const inputs = inputsOf({ subject, charge, held, at });
export const process = paidOrder(transferIn, { quietMs });

export const events = {
  TransferRunStarted: { type: "TransferRunStarted", data: subject },
  TransferCharged: { type: "TransferCharged", data: { ...charge, at } },
  TransferChargeRefused: {
    type: "TransferChargeRefused",
    data: {
      code: "insufficient-balance",
      message: "The account balance does not cover the gross price.",
      requiredCents: "1071",
      availableCents: "1000",
      at,
    },
  },
  TransferPending: { type: "TransferPending", data: { nextInquiryAt: soon, at } },
  RegistrarOrderCompleted: { type: "RegistrarOrderCompleted", data: { ...held, at } },
  TransferOrderRefused: { type: "TransferOrderRefused", data: { reason: "Policy", code: null, at } },
  RegistrarOutcomeUnknown: registrarEvents.RegistrarOutcomeUnknown,
  RegistrarInquiryFailed: {
    type: "RegistrarInquiryFailed",
    data: { reason: "No answer", nextInquiryAt: soon, at },
  },
  RegistrarOrderNotHeld: registrarEvents.RegistrarOrderNotHeld,
  RegistrarOrderResumed: registrarEvents.RegistrarOrderResumed,
  TransferNeverCharged: { type: "TransferNeverCharged", data: { at } },
  TransferChargeReturned: { type: "TransferChargeReturned", data: { correctionId: 102, at } },
  TransferParked: { type: "TransferParked", data: { reason: "The service is down", at } },
  TransferUnparked: { type: "TransferUnparked", data: { at } },
  TransferAbandoned: { type: "TransferAbandoned", data: { reason: "The customer called", at } },
  TransferCompleted: { type: "TransferCompleted", data: { outcome: "transferred", at } },
} as const satisfies { readonly [Type in TransferEvent["type"]]: Extract<TransferEvent, { type: Type }> };

const ordering = [events.TransferRunStarted, events.TransferCharged];
const awaiting = [...ordering, events.TransferPending];
const confirming = [...awaiting, events.RegistrarOrderCompleted];

export const histories = {
  new: [],
  charging: [events.TransferRunStarted],
  ordering,
  awaiting,
  asking: [...ordering, events.RegistrarOutcomeUnknown],
  confirming,
  refunding: [...awaiting, events.TransferOrderRefused],
  releasing: [events.TransferRunStarted, events.TransferChargeRefused],
  suspended: [...ordering, events.TransferParked],
  ended: [...confirming, events.TransferCompleted],
} as const satisfies Readonly<Record<string, readonly TransferEvent[]>>;
