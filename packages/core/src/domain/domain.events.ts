import { z } from "zod";

import { eventCodec } from "../kernel/event-codec.ts";
import { defineEvents, event, shape, type EventOf } from "../kernel/event-definition.ts";
import { cents, flag, hostname, hostnames, id, instant, staffReason, text, years } from "../kernel/fields.ts";
import { dnsRecord, domainChangeEvents } from "./domain-changes.events.ts";
import { domainRegistryEvents } from "./domain-registry-news.events.ts";
import { domainTransferEvents, holding, releaseReason } from "./domain-transfer.events.ts";

const renewalStartedV1 = {
  renewalId: text,
  domainId: id,
  accountId: id,
  name: hostname,
  years,
  automatic: flag,
  /** The expiry date to renew; each date is charged once. */
  expiresAt: instant,
  /** Net price of a year in cents (EUR) from the price list at this moment; a restoration's price includes its year. */
  yearNetCents: cents,
  startedAt: instant,
};

/** Events of a domain's renewals. */
export const domainRenewalEvents = defineEvents({
  DomainRenewalStarted: event(
    "A renewal began; no other one can until it has ended.",
    {
      ...renewalStartedV1,
      /** True if the registry withholds the name and must restore it first (RFC 3915). */
      restoration: flag,
    },
    { was: [shape(renewalStartedV1), (data) => ({ ...data, restoration: false })] },
  ),
  DomainRenewed: event("The registrar renewed the name, and it is paid for.", {
    renewalId: text,
    domainId: id,
    accountId: id,
    years,
    automatic: flag,
    chargeId: text,
    invoiceId: id,
    grossCents: cents,
    previousExpiresAt: instant,
    expiresAt: instant,
    renewedAt: instant,
  }),
  DomainRenewalFailed: event(
    "The renewal ended and nothing stays charged; an automatic one is tried again a day later.",
    {
      renewalId: text,
      domainId: id,
      accountId: id,
      name: hostname,
      automatic: flag,
      reason: z.enum(["insufficient-balance", "charge-refused", "registrar-failed", "abandoned"]),
      expiresAt: instant,
      /** Gross amount in cents (EUR) that was missing or requested; null if the price was not computed. */
      requiredCents: cents.nullable(),
      failedAt: instant,
    },
  ),
  LateRenewalAllowed: event(
    "Staff let the automatic renewal catch up, a charge for each year: the domain was not renewed for more than a year.",
    {
      domainId: id,
      expiresAt: instant,
      /** Staff allow late renewals up to this instant. */
      allowedAt: instant,
    },
  ),
  DomainExpired: event("Nobody renewed the domain in time.", {
    domainId: id,
    accountId: id,
    name: hostname,
    expiresAt: instant,
    expiredAt: instant,
  }),
});

const suspendedV1 = { domainId: id, suspendedAt: instant };

/** Events of staff's decisions about a domain and of their results at providers. */
export const domainStatusEvents = defineEvents({
  DomainSuspended: event(
    "Staff suspended the domain: it shall not resolve until they lift that.",
    { ...suspendedV1, staffReason: staffReason.nullable() },
    { was: [shape(suspendedV1), (data) => ({ ...data, staffReason: null })] },
  ),
  DomainUnsuspended: event("Staff lifted the suspension.", { domainId: id, unsuspendedAt: instant }),
  DomainTakenOffline: event("The suspended domain does not resolve any more.", {
    domainId: id,
    /** `registrar` sets EPP's `clientHold` (RFC 5731 §2.3); `zone` removes the zone from the DNS server. */
    by: z.enum(["registrar", "zone"]),
    takenOfflineAt: instant,
  }),
  DomainBroughtOnline: event("The domain resolves again.", { domainId: id, broughtOnlineAt: instant }),
  DomainTransferStarted: event("The domain is on its way to another registrar.", {
    domainId: id,
    startedAt: instant,
  }),
  DomainTransferEnded: event("The domain stays.", { domainId: id, endedAt: instant }),
});

/** Events of a failed delivery that waits for staff. */
export const domainDeliveryEvents = defineEvents({
  DomainDeliverySuspended: event(
    "What a new domain was to be given does not come about by itself: staff must look.",
    {
      domainId: id,
      accountId: id,
      name: hostname,
      registrationId: text,
      reason: text,
      suspendedAt: instant,
    },
  ),
  DomainDeliveryResumed: event("Staff lets the delivery be tried again.", {
    domainId: id,
    resumedAt: instant,
  }),
  DomainDeliveryAbandoned: event("Staff leaves the domain as it is: nobody is asked for what is missing.", {
    domainId: id,
    reason: text,
    abandonedAt: instant,
  }),
});

const registrationReservedV1 = {
  registrationId: text,
  domainId: id,
  accountId: id,
  name: hostname,
  years,
  autoRenew: flag,
  /** The customer's own nameservers; null for the service's. */
  nameservers: hostnames.nullable(),
  /** Net price of a year in cents (EUR), from the price list at this moment. */
  yearNetCents: cents,
  reservedAt: instant,
};

/** Events of a name (stream `domain-<fqdn>`). The store's expected revision makes names and registrations unique. */
export const domainEvents = defineEvents({
  RegistrationReserved: event(
    "The name was taken for one registration; nobody else can register it until that has settled.",
    {
      ...registrationReservedV1,
      /** The registrar of the order; null if an older version with one registrar stored the event. */
      provider: text.nullable(),
    },
    { was: [shape(registrationReservedV1), (data) => ({ ...data, provider: null })] },
  ),
  RegistrationReleased: event("The registration ended without a domain: the name is free again.", {
    registrationId: text,
    reason: releaseReason,
    releasedAt: instant,
  }),
  RegistrationHeld: event(
    "The charge goes back, but the registrar has not told what it did: the name stays taken until it has.",
    { registrationId: text, heldAt: instant },
  ),
  DomainRegistered: event("The name is registered at the registrar, paid for, and the account's.", {
    registrationId: text,
    domainId: id,
    accountId: id,
    name: hostname,
    provider: text,
    years,
    autoRenew: flag,
    ...holding,
  }),
  ZoneCreated: event("The managed DNS zone exists with its default records.", {
    domainId: id,
    records: z.array(dnsRecord).max(1_000),
    createdAt: instant,
  }),
  ZoneCreationFailed: event(
    "The managed DNS zone could not be created; it is tried again in the background, and support opens a ticket.",
    { domainId: id, accountId: id, name: hostname, reason: text, failedAt: instant },
  ),
  NameserversChanged: event("The domain is delegated to other nameservers.", {
    domainId: id,
    usesServiceNameservers: flag,
    nameservers: hostnames,
    changedAt: instant,
  }),
  NameserversRefused: event("The registrar did not take the requested nameservers; the present ones stay.", {
    domainId: id,
    requested: hostnames,
    reason: text,
    refusedAt: instant,
  }),
  ...domainTransferEvents,
  ...domainDeliveryEvents,
  ...domainChangeEvents,
  ...domainRenewalEvents,
  ...domainStatusEvents,
  ...domainRegistryEvents,
});

export type DomainNameEvent = EventOf<typeof domainEvents>;
export type DomainTransferEvent = EventOf<typeof domainTransferEvents>;
export type DomainDeliveryEvent = EventOf<typeof domainDeliveryEvents>;
export type DomainChangeEvent = EventOf<typeof domainChangeEvents>;
export type DomainRenewalEvent = EventOf<typeof domainRenewalEvents>;
export type DomainStatusEvent = EventOf<typeof domainStatusEvents>;
export type DomainRegistryEvent = EventOf<typeof domainRegistryEvents>;
export type DomainWithheld = EventOf<typeof domainRegistryEvents, "DomainWithheld">;
export type DomainDeleted = EventOf<typeof domainRegistryEvents, "DomainDeleted">;
export type DomainExpiryFollowed = EventOf<typeof domainRegistryEvents, "DomainExpiryFollowed">;
export type RegistrationReserved = EventOf<typeof domainEvents, "RegistrationReserved">;
export type RegistrationReleased = EventOf<typeof domainEvents, "RegistrationReleased">;
export type RegistrationHeld = EventOf<typeof domainEvents, "RegistrationHeld">;
export type DomainRegistered = EventOf<typeof domainEvents, "DomainRegistered">;
export type ZoneCreated = EventOf<typeof domainEvents, "ZoneCreated">;
export type ZoneCreationFailed = EventOf<typeof domainEvents, "ZoneCreationFailed">;
export type NameserversChanged = EventOf<typeof domainEvents, "NameserversChanged">;
export type NameserversRefused = EventOf<typeof domainEvents, "NameserversRefused">;
export type DomainChangeCompleted = EventOf<typeof domainEvents, "DomainChangeCompleted">;
export type DomainChangeFailed = EventOf<typeof domainEvents, "DomainChangeFailed">;
export type WhoisPrivacyChanged = EventOf<typeof domainEvents, "WhoisPrivacyChanged">;
export type TransferLockChanged = EventOf<typeof domainEvents, "TransferLockChanged">;
export type DomainRenewalStarted = EventOf<typeof domainEvents, "DomainRenewalStarted">;
export type DomainRenewed = EventOf<typeof domainEvents, "DomainRenewed">;
export type DomainRenewalFailed = EventOf<typeof domainEvents, "DomainRenewalFailed">;

export type DomainChange = EventOf<typeof domainEvents, "DomainChangeStarted">["data"]["change"];
/** The refusing provider and whether it answered; a code of the rejection catalogue. */
export type ChangeFailure = DomainChangeFailed["data"]["code"];
export type ReleaseReason = RegistrationReleased["data"]["reason"];
export type RenewalFailure = DomainRenewalFailed["data"]["reason"];

export const domainCodec = eventCodec(domainEvents);
