import {
  eventCodec,
  planEvents,
  regionEvents,
  serverEvents,
  serverOrderEvents,
  serverRenewalEvents,
  stockEvents,
  type EventOf,
} from "@hostledger/core";
import { ignoring } from "@hostledger/read";

const heard = {
  ...planEvents,
  ...regionEvents,
  ...stockEvents,
  ...serverEvents,
  ...serverOrderEvents,
  ...serverRenewalEvents,
};

export type ServerSubscriptionEvent = EventOf<typeof heard>;

export const serverSubscriptionCodec = eventCodec(heard);

export const plansIgnored = ignoring(planEvents);

export const stockIgnored = ignoring(stockEvents);

export const catalogueIgnored = ignoring(planEvents, regionEvents, stockEvents);

export const serversIgnored = ignoring(serverEvents);

export const runsIgnored = ignoring(serverOrderEvents, serverRenewalEvents);
