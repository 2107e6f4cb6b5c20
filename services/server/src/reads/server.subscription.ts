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
import { ignoring } from "@hostledger/projections";

const heard = {
  ...planEvents,
  ...regionEvents,
  ...stockEvents,
  ...serverEvents,
  ...serverOrderEvents,
  ...serverRenewalEvents,
};

/** What the server service's read models hear. */
export type ServerSubscriptionEvent = EventOf<typeof heard>;

/** Reads these facts. */
export const serverSubscriptionCodec = eventCodec(heard);

/** The facts of plans, for read models that have no use for them. */
export const plansIgnored = ignoring(planEvents);

/** The facts of stock, for read models that have no use for them. */
export const stockIgnored = ignoring(stockEvents);

/** The facts of the catalogue. */
export const catalogueIgnored = ignoring(planEvents, regionEvents, stockEvents);

/** The facts of servers. */
export const serversIgnored = ignoring(serverEvents);

/** The facts of runs. */
export const runsIgnored = ignoring(serverOrderEvents, serverRenewalEvents);
