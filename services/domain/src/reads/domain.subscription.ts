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
import { ignoring } from "@hostledger/projections";

const heard = {
  ...domainEvents,
  ...priceListEvents,
  ...registrationEvents,
  ...renewalRunEvents,
  ...transferRunEvents,
};

export type DomainSubscriptionEvent = EventOf<typeof heard>;

export const domainSubscriptionCodec = eventCodec(heard);

/** Ignores events of runs. */
export const runsIgnored = ignoring(registrationEvents, renewalRunEvents, transferRunEvents);

/** Ignores events of domain changes. */
export const changesIgnored = ignoring(domainChangeEvents);

/** Ignores events of transfers to us. */
export const transfersIgnored = ignoring(domainTransferEvents);

/** Ignores events of deliveries that wait for staff. */
export const deliveriesIgnored = ignoring(domainDeliveryEvents);

/** Ignores events of domain renewals. */
export const renewalsIgnored = ignoring(domainRenewalEvents);

/** Ignores events about changes made by registries. */
export const registryNewsIgnored = ignoring(domainRegistryEvents);

/** Ignores events of statuses set by staff. */
export const statusesIgnored = ignoring(domainStatusEvents);
