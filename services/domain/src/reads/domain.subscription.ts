import {
  domainDeliveryEvents,
  domainEvents,
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

export const deliveriesIgnored = ignoring(domainDeliveryEvents);
