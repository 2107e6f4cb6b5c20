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
    "A renewal began. Until it ends, no other renewal can begin.",
    {
      ...renewalStartedV1,
      /** True if the registry withholds the name and must restore it first (RFC 3915). */
      restoration: flag,
    },
    { was: [shape(renewalStartedV1), (data) => ({ ...data, restoration: false })] },
  ),
  DomainRenewed: event("The registrar renewed the name, and the account paid.", {
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
    "The renewal failed and the account keeps its money. An automatic renewal is tried again a day later.",
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
    "Staff allowed the automatic renewal to catch up, with a charge for each year. The domain had not been renewed for more than a year.",
    {
      domainId: id,
      expiresAt: instant,
      /** Staff allow late renewals up to this instant. */
      allowedAt: instant,
    },
  ),
  DomainExpired: event("The domain expired, because nobody renewed it in time.", {
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
    "Staff suspended the domain. It must not resolve until staff lift the suspension.",
    { ...suspendedV1, staffReason: staffReason.nullable() },
    { was: [shape(suspendedV1), (data) => ({ ...data, staffReason: null })] },
  ),
  DomainUnsuspended: event("Staff lifted the suspension of the domain.", {
    domainId: id,
    unsuspendedAt: instant,
  }),
  DomainTakenOffline: event("The suspended domain was taken offline and no longer resolves.", {
    domainId: id,
    /** `registrar` sets EPP's `clientHold` (RFC 5731 §2.3); `zone` removes the zone from the DNS server. */
    by: z.enum(["registrar", "zone"]),
    takenOfflineAt: instant,
  }),
  DomainBroughtOnline: event("The domain was brought back online and resolves again.", {
    domainId: id,
    broughtOnlineAt: instant,
  }),
  DomainTransferStarted: event("A transfer of the domain to another registrar began.", {
    domainId: id,
    startedAt: instant,
  }),
  DomainTransferEnded: event("The transfer to another registrar ended, and the domain stays with us.", {
    domainId: id,
    endedAt: instant,
  }),
});

/** Events of a failed delivery that waits for staff. */
export const domainDeliveryEvents = defineEvents({
  DomainDeliverySuspended: event("The setup of a new domain failed repeatedly and now waits for staff.", {
    domainId: id,
    accountId: id,
    name: hostname,
    registrationId: text,
    reason: text,
    suspendedAt: instant,
  }),
  DomainDeliveryResumed: event("Staff let the service try the setup of the domain again.", {
    domainId: id,
    resumedAt: instant,
  }),
  DomainDeliveryAbandoned: event(
    "Staff ended the setup of the domain. The service no longer asks a provider for the missing parts.",
    {
      domainId: id,
      reason: text,
      abandonedAt: instant,
    },
  ),
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
    "The name was reserved for one registration. Nobody else can register it until the registration ends.",
    {
      ...registrationReservedV1,
      /** The registrar of the order; null if an older version with one registrar stored the event. */
      provider: text.nullable(),
    },
    { was: [shape(registrationReservedV1), (data) => ({ ...data, provider: null })] },
  ),
  RegistrationReleased: event("The registration ended without a domain, so the name was released.", {
    registrationId: text,
    reason: releaseReason,
    releasedAt: instant,
  }),
  RegistrationHeld: event(
    "The registration failed without a clear answer of the registrar. The charge is returned, and the name stays reserved until the registrar answers.",
    { registrationId: text, heldAt: instant },
  ),
  DomainRegistered: event(
    "The registrar registered the name. The account paid, and the domain belongs to it.",
    {
      registrationId: text,
      domainId: id,
      accountId: id,
      name: hostname,
      provider: text,
      years,
      autoRenew: flag,
      ...holding,
    },
  ),
  ZoneCreated: event("The DNS server created the managed zone with its default records.", {
    domainId: id,
    records: z.array(dnsRecord).max(1_000),
    createdAt: instant,
  }),
  ZoneCreationFailed: event(
    "The managed zone could not be created. The service tries again in the background and opens a ticket for support.",
    { domainId: id, accountId: id, name: hostname, reason: text, failedAt: instant },
  ),
  NameserversChanged: event("The domain was delegated to other nameservers.", {
    domainId: id,
    usesServiceNameservers: flag,
    nameservers: hostnames,
    changedAt: instant,
  }),
  NameserversRefused: event(
    "The registrar refused the requested nameservers. The present nameservers stay.",
    {
      domainId: id,
      requested: hostnames,
      reason: text,
      refusedAt: instant,
    },
  ),
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
