import type { RegistrationReserved } from "../../domain/domain.events.ts";
import type { RegistrationEvent, RegistrationStarted } from "./register-domain.events.ts";
import type { RegistrationInput } from "./register-domain.inputs.ts";
import type { RegistrationState } from "./register-domain.state.ts";

/** Examples of a registration run, for specs: account 7 registers example.com for two years in the run r-1. */

export const at = "2026-03-01T10:00:00.000000Z";
/** The first three waits after `at`: 300 ms, then doubled, then at most a second. */
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

/** The name was taken for the run. */
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
    reservedAt: at,
  };
}

/** The run's first fact. */
export function started(nameservers: readonly string[] | null = null): RegistrationStarted {
  const { reservedAt: startedAt, ...registration } = reservation(nameservers);
  return { type: "RegistrationStarted", data: { ...registration, startedAt } };
}

/** One example of every input. */
export const inputs = {
  reserved: { type: "reserved", reservation: reservation(), at },
  charged: { type: "charged", charge, at },
  refunded: { type: "refunded", correctionId: 102, at },
  accepted: { type: "accepted", at },
  rejected: { type: "rejected", rejection: { code: "internal", message: "Internal error." }, at },
  done: { type: "done", at },
  held: { type: "held", order, at },
  "not-held": { type: "not-held", at },
  refused: { type: "refused", reason: "Policy", at },
  unknown: { type: "unknown", reason: "No answer", at },
  resumed: { type: "resumed", at },
  failed: { type: "failed", reason: "The service is down", at },
  retried: { type: "retried", at },
  abandoned: { type: "abandoned", reason: "The customer called", at },
} as const satisfies {
  readonly [Type in RegistrationInput["type"]]: Extract<RegistrationInput, { type: Type }>;
};

/** One example of every fact. */
export const facts = {
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

const ordering = [facts.RegistrationStarted, facts.RegistrationCharged];
const inquiring = [...ordering, facts.RegistrarOutcomeUnknown];
const confirming = [...ordering, facts.RegistrarOrderCompleted];
const holding = [...inquiring, ...Array.from({ length: 3 }, () => facts.RegistrarInquiryFailed)];
const settling = [...holding, facts.RegistrationLeftUnsettled, facts.RegistrationChargeReturned];
const delivering = [...confirming, facts.RegistrationConfirmed];

/** A history that leads to each status. */
export const histories: Readonly<Record<RegistrationState["status"], readonly RegistrationEvent[]>> = {
  new: [],
  charging: [facts.RegistrationStarted],
  ordering,
  inquiring,
  confirming,
  holding,
  refunding: [...ordering, facts.RegistrarOrderRefused],
  releasing: [facts.RegistrationStarted, facts.RegistrationChargeRefused],
  settling,
  cancelling: [...settling, facts.RegistrarCancellationDue],
  delivering,
  parked: [...ordering, facts.RegistrationParked],
  completed: [...delivering, facts.RegistrationCompleted],
};
