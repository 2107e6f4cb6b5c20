import { eventCodec } from "../kernel/event-codec.ts";
import { defineEvents, type EventOf } from "../kernel/event-definition.ts";
import { cents, flag, hostname, hostnames, id, instant, text, years } from "../kernel/fields.ts";
import { orderEvent } from "./paid-order/paid-order.stored-events.ts";

/** Events of an order at the registrar, shared by all processes that order names. */
export const registrarOrderEvents = defineEvents({
  RegistrarOrderCompleted: orderEvent.done("The registrar carried out the order.", {
    provider: text,
    registeredAt: instant,
    expiresAt: instant,
    nameservers: hostnames,
    whoisPrivacy: flag,
    transferLock: flag,
  }),
  RegistrarOutcomeUnknown: orderEvent.unanswered(
    "The outcome of the order is unknown, so the run asks the registrar.",
  ),
  RegistrarInquiryFailed: orderEvent.inquiryFailed(
    "The registrar did not give a clear answer to the inquiry.",
  ),
  RegistrarOrderNotHeld: orderEvent.notHeld(
    "The registrar did not answer the order and reports that it does not have the name. The run asks again, because an order may arrive late.",
  ),
  RegistrarOrderResumed: orderEvent.resumed(
    "The registrar reports that it does not have the name. The run sends an order that was interrupted before it was sent.",
  ),
});

/** Events of one registration run (stream `registration-<id>`). */
export const registrationEvents = defineEvents({
  ...registrarOrderEvents,
  RegistrationStarted: orderEvent.begun(
    "The run began. It will charge the account, order the name and start the setup of the domain.",
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
  RegistrationCharged: orderEvent.charged(
    "The account was charged. Next, the run sends the order to the registrar.",
  ),
  RegistrationChargeRefused: orderEvent.declined(
    "The account refused the charge. If the balance was too low, the event has amounts in cents (EUR).",
  ),
  RegistrarOrderRefused: orderEvent.refused(
    "The registrar refused: it did not carry out the order and will not.",
  ),
  RegistrationNeverCharged: orderEvent.neverCharged,
  RegistrationChargeReturned: orderEvent.returned,
  RegistrationLeftUnsettled: orderEvent.fenced(
    "The name stays reserved because the outcome is unknown. The customer gets the money back, and the run asks the registrar until it answers.",
  ),
  RegistrarCancellationDue: orderEvent.cancellationDue(
    "The registrar carried out an order that is no longer wanted, so the run must cancel the registration.",
  ),
  RegistrarOrderCancelled: orderEvent.cancelled("The registrar cancelled the order."),
  RegistrationConfirmed: orderEvent.confirmed("The domain now belongs to the account."),
  RegistrationParked: orderEvent.suspended,
  RegistrationUnparked: orderEvent.retried,
  RegistrationAbandoned: orderEvent.abandoned(
    "Staff ended the run. A charge is returned, and the name is released.",
  ),
  RegistrationCompleted: orderEvent.ended({ done: "delivered", declined: "refused", undone: "refunded" }),
  // Earlier designs set nameservers and zone up in the run.
  DelegationUnanswered: orderEvent.historic(
    "The registrar did not answer the order for the customer's nameservers, so the run asks again.",
    { reason: text, nextAttemptAt: instant },
  ),
  DelegationCompleted: orderEvent.historic(
    "The registrar delegated the name to the customer's nameservers.",
    {},
  ),
  DelegationRefused: orderEvent.historic(
    "The registrar refused the customer's nameservers. The service's nameservers stay, so the name needs a managed zone.",
    { reason: text },
  ),
  DelegationRefusalRecorded: orderEvent.historic(
    "The domain's stream recorded that the registrar refused the customer's nameservers.",
    {},
  ),
  ZoneDelivered: orderEvent.historic("The DNS server created the zone.", {}),
  ZoneAttemptFailed: orderEvent.historic("The DNS server did not create the zone, so the run tries again.", {
    reason: text,
    nextAttemptAt: instant,
  }),
  ZoneFailureRecorded: orderEvent.historic("The domain's stream recorded that the zone is missing.", {}),
});

export type RegistrationEvent = EventOf<typeof registrationEvents>;
export type RegistrationStarted = EventOf<typeof registrationEvents, "RegistrationStarted">;
export type RegistrarOrderCompleted = EventOf<typeof registrationEvents, "RegistrarOrderCompleted">;

export const registrationCodec = eventCodec(registrationEvents);
