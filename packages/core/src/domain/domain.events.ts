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
  /** The expiry date that it renews: one charge for each. */
  expiresAt: instant,
  /** Net price of a year in cents (EUR), from the price list at this moment; of a restoration, its year included. */
  yearNetCents: cents,
  startedAt: instant,
};

/** Everything that happens to the renewal of a domain. */
export const domainRenewalEvents = defineEvents({
  DomainRenewalStarted: event(
    "A renewal began; no other one can until it has ended.",
    {
      ...renewalStartedV1,
      /** True: the registry withholds the name, and gives it back first (RFC 3915). */
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
      /** Gross amount that was missing or was asked for, in cents (EUR); null where no price was reached. */
      requiredCents: cents.nullable(),
      failedAt: instant,
    },
  ),
  LateRenewalAllowed: event(
    "Staff let the automatic renewal catch up, a charge for each year: the domain was not renewed for more than a year.",
    {
      domainId: id,
      /** The expiry date that the books have. */
      expiresAt: instant,
      /** Up to here it catches up. */
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

/** What staff say of a domain, and what becomes of it at its providers. */
export const domainStatusEvents = defineEvents({
  DomainSuspended: event(
    "Staff suspended the domain: it shall not resolve until they lift that.",
    { ...suspendedV1, staffReason: staffReason.nullable() },
    { was: [shape(suspendedV1), (data) => ({ ...data, staffReason: null })] },
  ),
  DomainUnsuspended: event("Staff lifted the suspension.", { domainId: id, unsuspendedAt: instant }),
  DomainTakenOffline: event("The suspended domain does not resolve any more.", {
    domainId: id,
    /** The registrar holds it (EPP `clientHold`, RFC 5731 §2.3), or its zone was withdrawn from the DNS server. */
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

/** A delivery of a new domain that waits for staff, and their word on it. */
export const domainDeliveryEvents = defineEvents({
  DomainDeliverySuspended: event(
    "What a new domain was to be given does not come about by itself: staff must look.",
    {
      domainId: id,
      accountId: id,
      name: hostname,
      /** The registration that it belongs to. */
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
  /** The customer's own nameservers, or null for the service's. */
  nameservers: hostnames.nullable(),
  /** Net price of a year in cents (EUR), from the price list at this moment. */
  yearNetCents: cents,
  reservedAt: instant,
};

/**
 * What happens to a name (stream `domain-<fqdn>`). The name itself is the stream, so that uniqueness and the one
 * registration in flight are settled by the store's expected revision.
 */
export const domainEvents = defineEvents({
  RegistrationReserved: event(
    "The name was taken for one registration; nobody else can register it until that has settled.",
    {
      ...registrationReservedV1,
      /** The registrar that gets the order: it alone is asked what came of it. Null in facts of before there were several. */
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

/** Everything that happens to a name. */
export type DomainNameEvent = EventOf<typeof domainEvents>;
/** The transfer of a name from another registrar to us. */
export type DomainTransferEvent = EventOf<typeof domainTransferEvents>;
/** Everything that is said of a delivery. */
export type DomainDeliveryEvent = EventOf<typeof domainDeliveryEvents>;
/** What changes come to. */
export type DomainChangeEvent = EventOf<typeof domainChangeEvents>;
/** Everything that happens to the renewal of a domain. */
export type DomainRenewalEvent = EventOf<typeof domainRenewalEvents>;
/** What staff say of a domain. */
export type DomainStatusEvent = EventOf<typeof domainStatusEvents>;
/** How a name ceases to be an account's, and what its registry does with it by itself. */
export type DomainRegistryEvent = EventOf<typeof domainRegistryEvents>;
/** Nobody renewed the name in time, and its registrar gave it up. */
export type DomainWithheld = EventOf<typeof domainRegistryEvents, "DomainWithheld">;
/** Nobody renewed the name, and its registrar does not hold it any more. */
export type DomainDeleted = EventOf<typeof domainRegistryEvents, "DomainDeleted">;
/** The registry renewed the name by itself, and the books follow; nobody was charged. */
export type DomainExpiryFollowed = EventOf<typeof domainRegistryEvents, "DomainExpiryFollowed">;
/** The name was taken for one registration; nobody else can register it until that has settled. */
export type RegistrationReserved = EventOf<typeof domainEvents, "RegistrationReserved">;
/** The registration ended without a domain: the name is free again. */
export type RegistrationReleased = EventOf<typeof domainEvents, "RegistrationReleased">;
/** The charge goes back, but the registrar has not told what it did: the name stays taken until it has. */
export type RegistrationHeld = EventOf<typeof domainEvents, "RegistrationHeld">;
/** The name is registered at the registrar, paid for, and the account's. */
export type DomainRegistered = EventOf<typeof domainEvents, "DomainRegistered">;
/** The managed DNS zone exists with its default records. */
export type ZoneCreated = EventOf<typeof domainEvents, "ZoneCreated">;
/** The managed DNS zone could not be created; it is tried again in the background, and support opens a ticket. */
export type ZoneCreationFailed = EventOf<typeof domainEvents, "ZoneCreationFailed">;
/** The domain is delegated to other nameservers. */
export type NameserversChanged = EventOf<typeof domainEvents, "NameserversChanged">;
/** The registrar did not take the requested nameservers; the present ones stay. */
export type NameserversRefused = EventOf<typeof domainEvents, "NameserversRefused">;
/** The change is carried out, and the facts before this one, perhaps several, say what it came to. */
export type DomainChangeCompleted = EventOf<typeof domainEvents, "DomainChangeCompleted">;
/** The other provider did not carry the change out; what no fact says has changed is as it was. */
export type DomainChangeFailed = EventOf<typeof domainEvents, "DomainChangeFailed">;
/** WHOIS privacy was turned on or off at the registrar. */
export type WhoisPrivacyChanged = EventOf<typeof domainEvents, "WhoisPrivacyChanged">;
/** The transfer lock was set or lifted at the registrar. */
export type TransferLockChanged = EventOf<typeof domainEvents, "TransferLockChanged">;
/** A renewal began; no other one can until it has ended. */
export type DomainRenewalStarted = EventOf<typeof domainEvents, "DomainRenewalStarted">;
/** The registrar renewed the name, and it is paid for. */
export type DomainRenewed = EventOf<typeof domainEvents, "DomainRenewed">;
/** The renewal ended and nothing stays charged; an automatic one is tried again a day later. */
export type DomainRenewalFailed = EventOf<typeof domainEvents, "DomainRenewalFailed">;

/** One change of a domain that another provider must carry out, as it was asked for. */
export type DomainChange = EventOf<typeof domainEvents, "DomainChangeStarted">["data"]["change"];
/** Which party did not carry a change out, and whether it was reached; a code of the catalogue. */
export type ChangeFailure = DomainChangeFailed["data"]["code"];
/** Why a registration ended without a domain. */
export type ReleaseReason = RegistrationReleased["data"]["reason"];
/** Why a renewal ended without one. */
export type RenewalFailure = DomainRenewalFailed["data"]["reason"];

/** Reads and names a name's events. */
export const domainCodec = eventCodec(domainEvents);
