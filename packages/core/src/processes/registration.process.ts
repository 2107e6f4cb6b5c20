import { periodOf } from "../account/document-terms.ts";
import type { RegistrationReserved } from "../domain/domain.events.ts";
import { registrationLines } from "../pricing/domain-orders.ts";
import type { PaidOrderDefinition } from "./paid-order/paid-order.definition.ts";
import type { OrderCommand } from "./paid-order/paid-order.inputs.ts";
import {
  registrationEvents,
  type RegistrarOrderCompleted,
  type RegistrationEvent,
  type RegistrationStarted,
} from "./registration.events.ts";
import { inquirySchedule, settlementSchedule } from "./retry-schedule.ts";

/** The subject of a registration run, from its first event. */
export type Registration = RegistrationStarted["data"];

export type RegistrarRegistration = Omit<RegistrarOrderCompleted["data"], "at">;

/** Converts a reservation to the subject of its run. The provider is stored only with the name. */
export function registrationOf({
  reservedAt: startedAt,
  provider: _,
  ...reserved
}: RegistrationReserved["data"]): Registration {
  return { ...reserved, startedAt };
}

type Command = OrderCommand<RegistrarRegistration>;

/**
 * Registers a name. The reservation of the name comes first, and its event begins the run:
 *
 *     charge → order → confirm → registered (the work engine sets up nameservers and zone)
 *       │        ├ refused ─→ refund → release the name
 *       │        └ unanswered → ask ┬ held → confirm …
 *       │                           └ not held, or silent → hold the name → refund → ask on → cancel there → release
 *       └ declined → release the name
 */
export const registration: PaidOrderDefinition<Registration, RegistrarRegistration, RegistrationEvent> = {
  name: "registration",
  category: "registration",
  begins: {
    stream: (name) => `domain-${name}`,
    by: (event) => (event.type === "RegistrationReserved" ? registrationOf(event.data) : undefined),
  },
  payer: ({ accountId, registrationId }) => ({ accountId, chargeId: registrationId }),
  charge: ({ registrationId, accountId, domainId, name, years, yearNetCents, startedAt }) => ({
    accountId,
    chargeId: registrationId,
    action: "purchase",
    lines: registrationLines(name, years, BigInt(yearNetCents)),
    pricesIncludeVat: false,
    duration: years,
    domainId,
    serverId: null,
    planId: null,
    supply: periodOf(startedAt, 12 * years),
    sold: { domain: name, server: null, plan: null },
  }),
  refundOf: "registration",

  provider: {
    order: ({ registrationId: clientTransactionId, accountId, name, years }) => ({
      to: "registrar",
      type: "register",
      clientTransactionId,
      accountId,
      name,
      years,
    }),
    inquire: ({ registrationId: clientTransactionId, name, years }) => ({
      to: "registrar",
      type: "inquire-registration",
      clientTransactionId,
      name,
      years,
    }),
    cancel: ({ name }) => ({ to: "registrar", type: "cancel", name }),
    words: {
      notCarriedOut: "The registrar did not carry out the order",
      silent: "The registrar does not answer",
      notCancelled: "The order could not be cancelled",
    },
    inquiries: inquirySchedule,
    settlement: settlementSchedule,
  },

  fence: {
    // Only a name with an unknown outcome is fenced; any other name is released at once.
    isNeeded: ({ then }) => then === "settle",
    command: (subject, _undone, at) =>
      toName(subject, { type: "HoldRegistration", data: { registrationId: subject.registrationId, at } }),
    confirmedBy: "domain-taken",
    unknownBy: "registration-not-found",
  },

  confirm(subject, charge, held) {
    if (charge === null || held === undefined) throw new Error("a registration is confirmed with both");
    const { registrationId } = subject;
    return toName(subject, { type: "RegisterDomain", data: { registrationId, ...held, ...charge } });
  },

  release: (subject, _failure, reason, at) =>
    toName(subject, {
      type: "ReleaseRegistration",
      data: { registrationId: subject.registrationId, reason, at },
    }),
  nothingToReleaseBy: ["registration-not-found"],

  events: registrationEvents,
};

function toName({ name }: Registration, command: Extract<Command, { to: "domain" }>["command"]): Command {
  return { to: "domain", id: name, command };
}
