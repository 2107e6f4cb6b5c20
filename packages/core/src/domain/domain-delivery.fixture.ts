import type { DomainDeliveryEvent } from "./domain.events.ts";
import type { DomainDeliveryCommand } from "./domain.commands.ts";

/** Examples of the delivery of domain 3 that waits for staff, for specs. */

const at = "2026-03-03T10:00:00.000000Z";
const reason = "The zone could not be created: No answer";

export const deliveryCommands = {
  SuspendDelivery: { type: "SuspendDelivery", data: { reason, at } },
  ResumeDelivery: { type: "ResumeDelivery", data: { at } },
  AbandonDelivery: { type: "AbandonDelivery", data: { reason: "The customer called", at } },
} as const satisfies Readonly<Record<DomainDeliveryCommand["type"], DomainDeliveryCommand>>;

export const deliveryEvents = {
  DomainDeliverySuspended: {
    type: "DomainDeliverySuspended",
    data: {
      domainId: 3,
      accountId: 7,
      name: "example.com",
      registrationId: "r-1",
      reason,
      suspendedAt: at,
    },
  },
  DomainDeliveryResumed: { type: "DomainDeliveryResumed", data: { domainId: 3, resumedAt: at } },
  DomainDeliveryAbandoned: {
    type: "DomainDeliveryAbandoned",
    data: { domainId: 3, reason: "The customer called", abandonedAt: at },
  },
} as const satisfies Readonly<Record<DomainDeliveryEvent["type"], DomainDeliveryEvent>>;
