import {
  domainChangeEvents,
  domainDeliveryEvents,
  domainEvents,
  domainRegistryEvents,
  domainRenewalEvents,
  domainStatusEvents,
  domainTransferEvents,
  eventCodec,
  priceListEvents,
  registrationEvents,
  renewalRunEvents,
  transferRunEvents,
  type EventOf,
} from "@hostledger/core";
import { ignoring } from "@hostledger/read";

const heard = {
  ...domainEvents,
  ...priceListEvents,
  ...registrationEvents,
  ...renewalRunEvents,
  ...transferRunEvents,
};

export type DomainSubscriptionEvent = EventOf<typeof heard>;

export const domainSubscriptionCodec = eventCodec(heard);

export const runsIgnored = ignoring(registrationEvents, renewalRunEvents, transferRunEvents);

export const changesIgnored = ignoring(domainChangeEvents);

export const transfersIgnored = ignoring(domainTransferEvents);

export const deliveriesIgnored = ignoring(domainDeliveryEvents);

export const renewalsIgnored = ignoring(domainRenewalEvents);

/** Ignores events about changes made by registries. */
export const registryNewsIgnored = ignoring(domainRegistryEvents);

/** Ignores events of statuses set by staff. */
export const statusesIgnored = ignoring(domainStatusEvents);
