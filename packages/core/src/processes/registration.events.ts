import { eventCodec } from "../kernel/event-codec.ts";
import { defineEvents, type EventOf } from "../kernel/event-definition.ts";
import { cents, flag, hostname, hostnames, id, instant, text, years } from "../kernel/fields.ts";
import { fact } from "./paid-order/paid-order.stored-facts.ts";

/** What the registrar says of an order for a name, by whatever process it was sent. */
export const registrarOrderEvents = defineEvents({
  RegistrarOrderCompleted: fact.done("The registrar carried out the order.", {
    provider: text,
    registeredAt: instant,
    expiresAt: instant,
    nameservers: hostnames,
    whoisPrivacy: flag,
    transferLock: flag,
  }),
  RegistrarOutcomeUnknown: fact.unanswered(
    "Nobody here knows what came of the order: the registrar is asked.",
  ),
  RegistrarInquiryFailed: fact.inquiryFailed("The registrar could not tell either."),
  RegistrarOrderNotHeld: fact.notHeld(
    "The registrar says that it holds nothing of an order that it did not answer: it is asked again, since orders come late.",
  ),
  RegistrarOrderResumed: fact.resumed(
    "The registrar says it holds nothing: an order that was interrupted before it was sent is sent now.",
  ),
});

/** The facts of one registration run (stream `registration-<id>`): what it intends, and what came of every step. */
export const registrationEvents = defineEvents({
  ...registrarOrderEvents,
  RegistrationStarted: fact.begun(
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
  RegistrationCharged: fact.charged("The account was charged; the order to the registrar is next."),
  RegistrationChargeRefused: fact.declined(
    "The account refused the charge. Amounts in cents (EUR) where the balance was too low.",
  ),
  RegistrarOrderRefused: fact.refused("The registrar certainly did not and will not carry out the order."),
  RegistrationNeverCharged: fact.neverCharged,
  RegistrationChargeReturned: fact.returned,
  RegistrationLeftUnsettled: fact.fenced(
    "The name is held: the customer gets the money back, and the registrar is asked until it answers.",
  ),
  RegistrarCancellationDue: fact.cancellationDue(
    "The registrar turned out to have carried out an order that is no longer wanted: it is cancelled there.",
  ),
  RegistrarOrderCancelled: fact.cancelled("The registrar cancelled the order."),
  RegistrationConfirmed: fact.confirmed("The domain is the account's."),
  RegistrationParked: fact.suspended,
  RegistrationUnparked: fact.retried,
  RegistrationAbandoned: fact.abandoned(
    "Staff ends the run: what was charged is returned, what was reserved is released.",
  ),
  RegistrationCompleted: fact.ended({ done: "delivered", declined: "refused", undone: "refunded" }),
  // Nameservers and zone were steps of the run once.
  DelegationUnanswered: fact.historic(
    "The registrar did not answer about the customer's nameservers; it is asked again.",
    { reason: text, nextAttemptAt: instant },
  ),
  DelegationCompleted: fact.historic("The registrar delegates to the customer's nameservers.", {}),
  DelegationRefused: fact.historic(
    "The registrar does not delegate to the customer's nameservers; the service's stay, and its zone is needed.",
    { reason: text },
  ),
  DelegationRefusalRecorded: fact.historic(
    "The domain's own stream tells that the customer's nameservers were refused.",
    {},
  ),
  ZoneDelivered: fact.historic("The DNS server has the zone.", {}),
  ZoneAttemptFailed: fact.historic("The DNS server did not take the zone; it is tried again.", {
    reason: text,
    nextAttemptAt: instant,
  }),
  ZoneFailureRecorded: fact.historic("The domain's own stream tells that the zone is missing.", {}),
});

/** Everything that happens in a registration run. */
export type RegistrationEvent = EventOf<typeof registrationEvents>;
/** The run began: it will charge the account, order the name and set up its delivery. */
export type RegistrationStarted = EventOf<typeof registrationEvents, "RegistrationStarted">;
/** The registrar carried out the order. */
export type RegistrarOrderCompleted = EventOf<typeof registrationEvents, "RegistrarOrderCompleted">;

/** Reads and names a registration run's events. */
export const registrationCodec = eventCodec(registrationEvents);
