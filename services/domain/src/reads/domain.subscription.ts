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

/** What the domain service's read models hear. */
export type DomainSubscriptionEvent = EventOf<typeof heard>;

/** Reads these facts. */
export const domainSubscriptionCodec = eventCodec(heard);

/** The facts of runs, for read models that have no use for them. */
export const runsIgnored = ignoring(registrationEvents, renewalRunEvents, transferRunEvents);

/** What changes of a domain come to, for read models that have no use for it. */
export const changesIgnored = ignoring(domainChangeEvents);

/** Transfers to us, for read models that have no use for them. */
export const transfersIgnored = ignoring(domainTransferEvents);

/** Deliveries that wait for staff, for read models that have no use for them. */
export const deliveriesIgnored = ignoring(domainDeliveryEvents);

/** The renewals of domains, for read models that have no use for them. */
export const renewalsIgnored = ignoring(domainRenewalEvents);

/** What registries did by themselves, for read models that have no use for it. */
export const registryNewsIgnored = ignoring(domainRegistryEvents);

/** Staff's word on domains, for read models that have no use for it. */
export const statusesIgnored = ignoring(domainStatusEvents);
