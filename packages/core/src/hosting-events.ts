import { accountEvents } from "./account/account.events.ts";
import { auditLogEvents } from "./audit-log/audit-log.events.ts";
import { auditorEvents } from "./auditor/auditor.events.ts";
import { planEvents, regionEvents, stockEvents } from "./catalogue/catalogue.events.ts";
import { clockEvents } from "./clock/clock.events.ts";
import { domainEvents } from "./domain/domain.events.ts";
import { eventCodec } from "./kernel/event-codec.ts";
import { defineEvents, type EventOf } from "./kernel/event-definition.ts";
import { priceListEvents } from "./price-list/price-list.events.ts";
import { serverOrderEvents } from "./processes/server-order.events.ts";
import { quarantineEvents } from "./quarantine/quarantine.events.ts";
import { registrationEvents } from "./processes/registration.events.ts";
import { renewalRunEvents } from "./processes/domain-renewal.events.ts";
import { serverRenewalEvents } from "./processes/server-renewal.events.ts";
import { requestEvents } from "./request/request.events.ts";
import { sequenceEvents } from "./sequence/sequence.events.ts";
import { serverEvents } from "./server/server.events.ts";
import { transferRunEvents } from "./processes/transfer.events.ts";
import { ticketCauseEvents, ticketEvents } from "./ticket/ticket.events.ts";

/** Every fact Hostledger records. */
export const hostingEvents = defineEvents({
  ...accountEvents,
  ...auditLogEvents,
  ...auditorEvents,
  ...clockEvents,
  ...domainEvents,
  ...planEvents,
  ...priceListEvents,
  ...quarantineEvents,
  ...regionEvents,
  ...registrationEvents,
  ...renewalRunEvents,
  ...requestEvents,
  ...sequenceEvents,
  ...serverEvents,
  ...serverOrderEvents,
  ...serverRenewalEvents,
  ...stockEvents,
  ...ticketEvents,
  ...ticketCauseEvents,
  ...transferRunEvents,
});

/** One of them. */
export type HostingEvent = EventOf<typeof hostingEvents>;

/** Reads and names every event, for readers that follow the whole log: projections, auditors. */
export const hostingCodec = eventCodec(hostingEvents);
