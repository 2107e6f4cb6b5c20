import {
  domainEvents,
  domainTransferEvents,
  priceListEvents,
  registrationEvents,
  renewalRunEvents,
  transferRunEvents,
} from "@hostledger/core";
import {
  domainExamples,
  registrationExamples,
  renewalExamples,
  transferExamples,
} from "@hostledger/core/testing";
import type { GivenEvent } from "@hostledger/read/testing";

import type { DomainSubscriptionEvent } from "./domain.subscription.ts";

/** Events of the domain service's subscription: account 7 registers example.com in run `registration-1`. */

const registrationId = "registration-1";
const transferId = "domaintransfer-1";
const { RegistrationReserved, TransferReserved } = domainExamples.samples;

export const examples = {
  ...domainExamples.samples,
  RegistrationReserved: { ...RegistrationReserved, data: { ...RegistrationReserved.data, registrationId } },
  TransferReserved: { ...TransferReserved, data: { ...TransferReserved.data, transferId } },
  PriceSet: {
    type: "PriceSet",
    data: {
      tld: "com",
      registrationCents: "1000",
      renewalCents: "1200",
      transferCents: "900",
      active: true,
      registrar: null,
      setAt: domainExamples.at,
    },
  },
  PriceAnnounced: {
    type: "PriceAnnounced",
    data: {
      tld: "com",
      registrationCents: "1100",
      renewalCents: "1300",
      transferCents: "900",
      active: true,
      registrar: null,
      setAt: domainExamples.at,
      validFrom: "2028-01-01T00:00:00.000000Z",
    },
  },
  ExtensionLifeCycleSet: {
    type: "ExtensionLifeCycleSet",
    data: {
      tld: "com",
      graceDays: 45,
      redemptionDays: 30,
      pendingDeleteDays: 5,
      restoreCents: "8000",
      setAt: domainExamples.at,
    },
  },
  ...registrationExamples.samples,
  ...renewalExamples.events,
  ...transferExamples.events,
} as const satisfies {
  readonly [Type in DomainSubscriptionEvent["type"]]: Extract<DomainSubscriptionEvent, { type: Type }>;
};

export function stored(event: DomainSubscriptionEvent): GivenEvent<DomainSubscriptionEvent> {
  if (event.type in domainTransferEvents) return { event, stream: "domain-moved.com" };
  if (event.type in domainEvents) return { event, stream: "domain-example.com" };
  if (event.type in renewalRunEvents) return { event, stream: renewalExamples.renewalId };
  if (event.type in transferRunEvents && !(event.type in registrationEvents))
    return { event, stream: transferId };
  return { event, stream: event.type in priceListEvents ? "pricelist-com" : registrationId };
}

export function allStored(events: readonly DomainSubscriptionEvent[]): GivenEvent<DomainSubscriptionEvent>[] {
  return events.map(stored);
}
