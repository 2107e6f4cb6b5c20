import type { RegistrationReserved } from "../domain/domain.events.ts";
import { inputsOf, quietMs } from "./paid-order/paid-order.fixture.ts";
import { paidOrder } from "./paid-order/paid-order.ts";
import type { RegistrationEvent, RegistrationStarted } from "./registration.events.ts";
import { registration, registrationOf } from "./registration.process.ts";

/** Examples of a registration run for specs: account 7 registers example.com for two years in the run r-1. */

export const at = "2026-03-01T10:00:00.000000Z";
/** Times of the first three retries after `at`: 300 ms, then doubled, then at most a second. */
export const soon = "2026-03-01T10:00:00.300000Z";
export const customNameservers = ["ns1.customer.test", "ns2.customer.test"] as const;

export const charge = { chargeId: "r-1", invoiceId: 101, grossCents: "2380" } as const;

export const order = {
  provider: "sandbox",
  registeredAt: at,
  expiresAt: "2028-03-01T10:00:00.000000Z",
  nameservers: ["ns1.hostledger.test", "ns2.hostledger.test"],
  whoisPrivacy: true,
  transferLock: true,
} as const;

/** Returns the reservation of the name for the run. */
export function reservation(nameservers: readonly string[] | null = null): RegistrationReserved["data"] {
  return {
    registrationId: "r-1",
    domainId: 3,
    accountId: 7,
    name: "example.com",
    years: 2,
    autoRenew: false,
    nameservers,
    yearNetCents: "1000",
    provider: "sandbox",
    reservedAt: at,
  };
}

export function started(nameservers: readonly string[] | null = null): RegistrationStarted {
  return { type: "RegistrationStarted", data: registrationOf(reservation(nameservers)) };
}

export const subject = started().data;
export const inputs = inputsOf({ subject, charge, held: order, at });
export const process = paidOrder(registration, { quietMs });

export const samples = {
  RegistrationStarted: started(),
  RegistrationCharged: { type: "RegistrationCharged", data: { ...charge, at } },
  RegistrationChargeRefused: {
    type: "RegistrationChargeRefused",
    data: {
      code: "insufficient-balance",
      message: "The account balance does not cover the gross price.",
      requiredCents: "2380",
      availableCents: "1000",
      at,
    },
  },
  RegistrarOrderCompleted: { type: "RegistrarOrderCompleted", data: { ...order, at } },
  RegistrarOrderRefused: { type: "RegistrarOrderRefused", data: { reason: "Policy", at } },
  RegistrarOutcomeUnknown: {
    type: "RegistrarOutcomeUnknown",
    data: { cause: "unanswered", reason: "No answer", at },
  },
  RegistrarInquiryFailed: {
    type: "RegistrarInquiryFailed",
    data: { reason: "No answer", nextInquiryAt: soon, at },
  },
  RegistrarOrderNotHeld: {
    type: "RegistrarOrderNotHeld",
    data: { askAgainAt: "2026-03-01T10:00:10.000000Z", at },
  },
  RegistrarOrderResumed: { type: "RegistrarOrderResumed", data: { at } },
  RegistrationNeverCharged: { type: "RegistrationNeverCharged", data: { at } },
  RegistrationChargeReturned: { type: "RegistrationChargeReturned", data: { correctionId: 102, at } },
  RegistrationLeftUnsettled: { type: "RegistrationLeftUnsettled", data: { at } },
  RegistrarCancellationDue: { type: "RegistrarCancellationDue", data: { nextAttemptAt: at, at } },
  RegistrarOrderCancelled: { type: "RegistrarOrderCancelled", data: { at } },
  RegistrationConfirmed: { type: "RegistrationConfirmed", data: { at } },
  DelegationUnanswered: {
    type: "DelegationUnanswered",
    data: { reason: "No answer", nextAttemptAt: soon, at },
  },
  DelegationCompleted: { type: "DelegationCompleted", data: { at } },
  DelegationRefused: { type: "DelegationRefused", data: { reason: "Policy", at } },
  DelegationRefusalRecorded: { type: "DelegationRefusalRecorded", data: { at } },
  ZoneDelivered: { type: "ZoneDelivered", data: { at } },
  ZoneAttemptFailed: {
    type: "ZoneAttemptFailed",
    data: { reason: "Policy", nextAttemptAt: "2026-03-01T10:00:01.000000Z", at },
  },
  ZoneFailureRecorded: { type: "ZoneFailureRecorded", data: { at } },
  RegistrationParked: { type: "RegistrationParked", data: { reason: "The service is down", at } },
  RegistrationUnparked: { type: "RegistrationUnparked", data: { at } },
  RegistrationAbandoned: { type: "RegistrationAbandoned", data: { reason: "The customer called", at } },
  RegistrationCompleted: { type: "RegistrationCompleted", data: { outcome: "delivered", at } },
} as const satisfies {
  readonly [Type in RegistrationEvent["type"]]: Extract<RegistrationEvent, { type: Type }>;
};

const ordering = [samples.RegistrationStarted, samples.RegistrationCharged];
const asking = [...ordering, samples.RegistrarOutcomeUnknown];
const confirming = [...ordering, samples.RegistrarOrderCompleted];
const fencing = [...asking, samples.RegistrarOrderNotHeld];
const settling = [...fencing, samples.RegistrationLeftUnsettled, samples.RegistrationChargeReturned];
const confirmed = [...confirming, samples.RegistrationConfirmed];

export const histories = {
  new: [],
  charging: [samples.RegistrationStarted],
  ordering,
  asking,
  confirming,
  confirmed,
  fencing,
  refunding: [...ordering, samples.RegistrarOrderRefused],
  settling,
  cancelling: [...settling, samples.RegistrarCancellationDue],
  releasing: [samples.RegistrationStarted, samples.RegistrationChargeRefused],
  suspended: [...ordering, samples.RegistrationParked],
  ended: [...confirmed, samples.RegistrationCompleted],
} as const satisfies Readonly<Record<string, readonly RegistrationEvent[]>>;

const silent = [...asking, ...Array.from({ length: 3 }, () => samples.RegistrarInquiryFailed)];
const delegating = [
  started(customNameservers),
  samples.RegistrationCharged,
  samples.RegistrarOrderCompleted,
  samples.RegistrationConfirmed,
];

/** Histories of an earlier design, in which nameservers and zone were steps, and the status to which each leads now. */
export const earlierHistories = {
  holding: { history: silent, status: "fencing" },
  settling: {
    history: [...silent, samples.RegistrationLeftUnsettled, samples.RegistrationChargeReturned],
    status: "settling",
  },
  refundingAfterOneNotHeld: {
    history: [...asking, samples.RegistrarOrderRefused],
    status: "refunding",
  },
  delegating: { history: [...delegating, samples.DelegationUnanswered], status: "confirmed" },
  recordingDelegation: { history: [...delegating, samples.DelegationCompleted], status: "confirmed" },
  recordingRefusedDelegation: {
    history: [...delegating, samples.DelegationRefused],
    status: "confirmed",
  },
  creatingZone: {
    history: [...delegating, samples.DelegationRefused, samples.DelegationRefusalRecorded],
    status: "confirmed",
  },
  recordingZoneFailure: { history: [...confirmed, samples.ZoneAttemptFailed], status: "confirmed" },
  failureRecorded: {
    history: [...confirmed, samples.ZoneAttemptFailed, samples.ZoneFailureRecorded],
    status: "confirmed",
  },
  recordingZone: { history: [...confirmed, samples.ZoneDelivered], status: "confirmed" },
  suspendedInDelivery: {
    history: [...confirmed, samples.ZoneAttemptFailed, samples.RegistrationParked],
    status: "suspended",
  },
  delivered: {
    history: [...confirmed, samples.ZoneDelivered, samples.RegistrationCompleted],
    status: "ended",
  },
} as const;
