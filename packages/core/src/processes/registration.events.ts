import { z } from "zod";

import { eventCodec } from "../kernel/event-codec.ts";
import { defineEvents, event, type EventOf } from "../kernel/event-definition.ts";
import { cents, flag, hostname, hostnames, id, instant, text, years } from "../kernel/fields.ts";

/** What the registrar says of an order for a name, by whatever process it was sent. */
export const registrarOrderEvents = defineEvents({
  RegistrarOrderCompleted: event("The registrar carried out the order.", {
    provider: text,
    registeredAt: instant,
    expiresAt: instant,
    nameservers: hostnames,
    whoisPrivacy: flag,
    transferLock: flag,
    at: instant,
  }),
  RegistrarOutcomeUnknown: event("Nobody here knows what came of the order: the registrar is asked.", {
    /** `interrupted`: the run's owner died around the order. `unanswered`: the order was sent and not answered. */
    cause: z.enum(["interrupted", "unanswered"]),
    reason: text,
    at: instant,
  }),
  RegistrarInquiryFailed: event("The registrar could not tell either.", {
    reason: text,
    nextInquiryAt: instant,
    at: instant,
  }),
  RegistrarOrderNotHeld: event(
    "The registrar says that it holds nothing of an order that it did not answer: it is asked again, since orders come late.",
    { askAgainAt: instant, at: instant },
  ),
  RegistrarOrderResumed: event(
    "The registrar says it holds nothing: an order that was interrupted before it was sent is sent now.",
    { at: instant },
  ),
});

/** The facts of one registration run (stream `registration-<id>`): what it intends, and what came of every step. */
export const registrationEvents = defineEvents({
  ...registrarOrderEvents,
  RegistrationStarted: event(
    "The run began: it will charge the account, order the name and set up its delivery.",
    {
      registrationId: text,
      domainId: id,
      accountId: id,
      name: hostname,
      years,
      autoRenew: flag,
      nameservers: hostnames.nullable(),
      yearNetCents: cents,
      startedAt: instant,
    },
  ),
  RegistrationCharged: event("The account was charged; the order to the registrar is next.", {
    chargeId: text,
    invoiceId: id,
    grossCents: cents,
    at: instant,
  }),
  RegistrationChargeRefused: event(
    "The account refused the charge. Amounts in cents (EUR) where the balance was too low.",
    {
      code: text,
      message: text,
      requiredCents: cents.nullable(),
      availableCents: cents.nullable(),
      at: instant,
    },
  ),
  RegistrarOrderRefused: event("The registrar certainly did not and will not carry out the order.", {
    reason: text,
    at: instant,
  }),
  RegistrationNeverCharged: event("The account knows of no charge: there is nothing to return.", {
    at: instant,
  }),
  RegistrationChargeReturned: event("The charge was returned.", { correctionId: id, at: instant }),
  RegistrationLeftUnsettled: event(
    "The name is held: the customer gets the money back, and the registrar is asked until it answers.",
    { at: instant },
  ),
  RegistrarCancellationDue: event(
    "The registrar turned out to have carried out an order that is no longer wanted: it is cancelled there.",
    { nextAttemptAt: instant, at: instant },
  ),
  RegistrarOrderCancelled: event("The registrar cancelled the order.", { at: instant }),
  RegistrationConfirmed: event("The domain is the account's.", { at: instant }),
  DelegationUnanswered: event(
    "The registrar did not answer about the customer's nameservers; it is asked again.",
    { reason: text, nextAttemptAt: instant, at: instant },
  ),
  DelegationCompleted: event("The registrar delegates to the customer's nameservers.", { at: instant }),
  DelegationRefused: event(
    "The registrar does not delegate to the customer's nameservers; the service's stay, and its zone is needed.",
    { reason: text, at: instant },
  ),
  DelegationRefusalRecorded: event(
    "The domain's own stream tells that the customer's nameservers were refused.",
    { at: instant },
  ),
  ZoneDelivered: event("The DNS server has the zone.", { at: instant }),
  ZoneAttemptFailed: event("The DNS server did not take the zone; it is tried again.", {
    reason: text,
    nextAttemptAt: instant,
    at: instant,
  }),
  ZoneFailureRecorded: event("The domain's own stream tells that the zone is missing.", { at: instant }),
  RegistrationParked: event("The run waits for staff.", { reason: text, at: instant }),
  RegistrationUnparked: event("Staff lets the run try again.", { at: instant }),
  RegistrationAbandoned: event(
    "Staff ends the run: what was charged is returned, what was reserved is released.",
    { reason: text, at: instant },
  ),
  RegistrationCompleted: event("The run has ended.", {
    outcome: z.enum(["delivered", "refused", "refunded"]),
    at: instant,
  }),
});

/** Everything that happens in a registration run. */
export type RegistrationEvent = EventOf<typeof registrationEvents>;
/** The run began: it will charge the account, order the name and set up its delivery. */
export type RegistrationStarted = EventOf<typeof registrationEvents, "RegistrationStarted">;
/** The account was charged; the order to the registrar is next. */
export type RegistrationCharged = EventOf<typeof registrationEvents, "RegistrationCharged">;
/** The account refused the charge. Amounts in cents (EUR) where the balance was too low. */
export type RegistrationChargeRefused = EventOf<typeof registrationEvents, "RegistrationChargeRefused">;
/** The registrar carried out the order. */
export type RegistrarOrderCompleted = EventOf<typeof registrationEvents, "RegistrarOrderCompleted">;
/** The run waits for staff. */
export type RegistrationParked = EventOf<typeof registrationEvents, "RegistrationParked">;

/** Reads and names a registration run's events. */
export const registrationCodec = eventCodec(registrationEvents);
