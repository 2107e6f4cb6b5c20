import { counted, type DomainNameEvent } from "@hostledger/core";
import { because, onOff, suspendedByStaff, type Sentences } from "./sentences.ts";

/** Sentence about the start of a renewal, for the domain's stream and for its run's stream. */
export const renewalStarted = ({
  name,
  years,
  automatic,
}: {
  name: string;
  years: number;
  automatic: boolean;
}): string =>
  `The ${automatic ? "automatic renewal" : "renewal"} of ${name} for ${counted(years, "year")} began.`;

export const domainSentences: Sentences<DomainNameEvent> = {
  RegistrationReserved: ({ name, years, accountId }) =>
    `${name} was reserved for account ${String(accountId)}, for ${counted(years, "year")}.`,
  RegistrationReleased: ({ registrationId, reason }) =>
    `${registrationId} ended without a domain: ${reason}.`,
  RegistrationHeld: ({ registrationId }) =>
    `${registrationId} waits: the registrar has not said whether it registered the name, and the charge is refunded.`,
  DomainRegistered: ({ name, accountId, expiresAt }) =>
    `${name} is registered for account ${String(accountId)} until ${expiresAt}.`,
  TransferReserved: ({ name, accountId }) =>
    `${name} was reserved for account ${String(accountId)}, for a transfer to us.`,
  TransferReleased: ({ transferId, reason }) => `${transferId} ended without the domain: ${reason}.`,
  DomainTransferredIn: ({ name, accountId, expiresAt }) =>
    `${name} was transferred to us for account ${String(accountId)}, and expires at ${expiresAt}.`,
  ZoneCreated: ({ records }) => `The DNS zone was created with ${counted(records.length, "record")}.`,
  ZoneCreationFailed: ({ name, reason }) => `The DNS zone of ${name} could not be created: ${reason}`,
  NameserversChanged: ({ nameservers }) => `The nameservers are ${nameservers.join(", ")}.`,
  NameserversRefused: because("The registrar refused the nameservers"),
  DomainDeliverySuspended: because("The delivery waits for staff"),
  DomainDeliveryResumed: () => "Staff retried the delivery.",
  DomainDeliveryAbandoned: because("Staff abandoned the delivery and left the domain unchanged"),
  DomainChangeStarted: ({ changeId, change }) => `The change ${changeId} (${change.kind}) began.`,
  DomainChangeCompleted: ({ changeId }) => `The change ${changeId} was completed.`,
  DomainChangeFailed: ({ changeId, code, reason }) => `The change ${changeId} failed (${code}): ${reason}`,
  DnsRecordAdded: ({ record }) =>
    `Record ${String(record.recordId)} was added: ${record.name} ${record.type}.`,
  DnsRecordUpdated: ({ record }) =>
    `Record ${String(record.recordId)} was changed: ${record.name} ${record.type}.`,
  DnsRecordDeleted: ({ recordId }) => `Record ${String(recordId)} was deleted.`,
  AutoRenewalChanged: ({ autoRenew }) => `Automatic renewal is ${onOff(autoRenew)}.`,
  WhoisPrivacyChanged: ({ whoisPrivacy }) => `WHOIS privacy is ${onOff(whoisPrivacy)}.`,
  TransferLockChanged: ({ transferLock }) => `The transfer lock is ${onOff(transferLock)}.`,
  DomainRenewalStarted: renewalStarted,
  DomainRenewed: ({ years, expiresAt }) =>
    `The domain was renewed for ${counted(years, "year")}, until ${expiresAt}.`,
  DomainRenewalFailed: ({ name, reason }) => `The renewal of ${name} failed: ${reason}.`,
  LateRenewalAllowed: ({ expiresAt }) =>
    `Staff allowed the late automatic renewal of the domain, which expired on ${expiresAt.slice(0, 10)} in the books.`,
  DomainExpired: ({ name }) => `${name} expired.`,
  DomainSuspended: ({ staffReason }) => suspendedByStaff("domain", staffReason),
  DomainUnsuspended: () => "Staff lifted the domain's suspension.",
  DomainTakenOffline: ({ by }) =>
    `The domain no longer resolves: ${by === "zone" ? "its zone was withdrawn" : "its registrar put it on hold"}.`,
  DomainBroughtOnline: () => "The domain resolves again.",
  DomainTransferStarted: () => "The transfer of the domain to another registrar began.",
  DomainTransferEnded: () => "The transfer to another registrar ended, and the domain stays with us.",
  DomainWithheld: ({ name, expiresAt }) =>
    `${name} expired on ${expiresAt.slice(0, 10)} and was not renewed: it is in redemption and can only be restored.`,
  DomainDeleted: ({ name, accountId }) =>
    `${name} was deleted because it was not renewed; it no longer belongs to account ${String(accountId)}.`,
  DomainTransferredAway: ({ name, accountId }) =>
    `${name} moved to another registrar; it no longer belongs to account ${String(accountId)}.`,
  DomainExpiryFollowed: ({ expiresAt }) =>
    `The registry renewed the domain automatically, until ${expiresAt}; nobody was charged.`,
};
