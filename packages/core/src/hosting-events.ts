import type { AccountEvent } from "./account/account.events.ts";
import { accountVersions } from "./account/account.versions.ts";
import type { DomainNameEvent } from "./domain/domain.events.ts";
import { domainVersions } from "./domain/domain.versions.ts";
import { eventCodec } from "./kernel/event-codec.ts";
import type { PriceListEvent } from "./price-list/price-list.events.ts";
import { priceListVersions } from "./price-list/price-list.versions.ts";
import type { RegistrationEvent } from "./processes/register-domain/register-domain.events.ts";
import { registrationVersions } from "./processes/register-domain/register-domain.versions.ts";
import type { SequenceEvent } from "./sequence/sequence.events.ts";
import { sequenceVersions } from "./sequence/sequence.versions.ts";

/** Every fact Hostledger records. */
export type HostingEvent =
  AccountEvent | DomainNameEvent | PriceListEvent | RegistrationEvent | SequenceEvent;

/** Reads and names every event, for readers that follow the whole log: projections, auditors. */
export const hostingCodec = eventCodec<HostingEvent>({
  ...accountVersions,
  ...domainVersions,
  ...priceListVersions,
  ...registrationVersions,
  ...sequenceVersions,
});
