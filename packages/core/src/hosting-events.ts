import type { AccountEvent } from "./account/account.events.ts";
import { accountVersions } from "./account/account.versions.ts";
import type { AuditorEvent } from "./auditor/auditor.events.ts";
import { auditorVersions } from "./auditor/auditor.versions.ts";
import type { PlanEvent, RegionEvent, StockEvent } from "./catalogue/catalogue.events.ts";
import { planVersions, regionVersions, stockVersions } from "./catalogue/catalogue.versions.ts";
import type { ClockEvent } from "./clock/clock.events.ts";
import { clockVersions } from "./clock/clock.versions.ts";
import type { DomainNameEvent } from "./domain/domain.events.ts";
import { domainVersions } from "./domain/domain.versions.ts";
import { eventCodec } from "./kernel/event-codec.ts";
import type { PriceListEvent } from "./price-list/price-list.events.ts";
import { priceListVersions } from "./price-list/price-list.versions.ts";
import type { ServerOrderEvent } from "./processes/order-server/order-server.events.ts";
import { serverOrderVersions } from "./processes/order-server/order-server.versions.ts";
import type { RegistrationEvent } from "./processes/register-domain/register-domain.events.ts";
import { registrationVersions } from "./processes/register-domain/register-domain.versions.ts";
import type { RenewalEvent } from "./processes/renew-domain/renew-domain.events.ts";
import { renewalRunVersions } from "./processes/renew-domain/renew-domain.versions.ts";
import type { ServerRenewalEvent } from "./processes/renew-server/renew-server.events.ts";
import { serverRenewalVersions } from "./processes/renew-server/renew-server.versions.ts";
import type { RequestEvent } from "./request/request.events.ts";
import { requestVersions } from "./request/request.versions.ts";
import type { SequenceEvent } from "./sequence/sequence.events.ts";
import { sequenceVersions } from "./sequence/sequence.versions.ts";
import type { ServerEvent } from "./server/server.events.ts";
import { serverVersions } from "./server/server.versions.ts";
import type { TicketCauseEvent, TicketEvent } from "./ticket/ticket.events.ts";
import { ticketCauseVersions, ticketVersions } from "./ticket/ticket.versions.ts";

/** Every fact Hostledger records. */
export type HostingEvent =
  | AccountEvent
  | AuditorEvent
  | ClockEvent
  | DomainNameEvent
  | PlanEvent
  | PriceListEvent
  | RegionEvent
  | RegistrationEvent
  | RenewalEvent
  | RequestEvent
  | SequenceEvent
  | ServerEvent
  | ServerOrderEvent
  | ServerRenewalEvent
  | StockEvent
  | TicketCauseEvent
  | TicketEvent;

/** Reads and names every event, for readers that follow the whole log: projections, auditors. */
export const hostingCodec = eventCodec<HostingEvent>({
  ...accountVersions,
  ...auditorVersions,
  ...clockVersions,
  ...domainVersions,
  ...planVersions,
  ...priceListVersions,
  ...regionVersions,
  ...registrationVersions,
  ...renewalRunVersions,
  ...requestVersions,
  ...sequenceVersions,
  ...serverVersions,
  ...serverOrderVersions,
  ...serverRenewalVersions,
  ...stockVersions,
  ...ticketVersions,
  ...ticketCauseVersions,
});
