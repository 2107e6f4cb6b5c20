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
    `${registrationId} is held: the registrar has not told what it did, and the charge goes back.`,
  DomainRegistered: ({ name, accountId, expiresAt }) =>
    `${name} is registered for account ${String(accountId)} until ${expiresAt}.`,
  TransferReserved: ({ name, accountId }) =>
    `${name} was reserved for account ${String(accountId)}, to be transferred to us.`,
  TransferReleased: ({ transferId, reason }) => `${transferId} ended without the domain: ${reason}.`,
  DomainTransferredIn: ({ name, accountId, expiresAt }) =>
    `${name} was transferred to us for account ${String(accountId)}, and expires at ${expiresAt}.`,
  ZoneCreated: ({ records }) => `The DNS zone was created with ${counted(records.length, "record")}.`,
  ZoneCreationFailed: ({ name, reason }) => `The DNS zone of ${name} could not be created: ${reason}`,
  NameserversChanged: ({ nameservers }) => `The nameservers are ${nameservers.join(", ")}.`,
  NameserversRefused: because("The registrar refused the nameservers"),
  DomainDeliverySuspended: because("The delivery waits for staff"),
  DomainDeliveryResumed: () => "Staff let the delivery be tried again.",
  DomainDeliveryAbandoned: because("Staff left the domain as it is"),
  DomainChangeStarted: ({ changeId, change }) => `The change ${changeId} (${change.kind}) began.`,
  DomainChangeCompleted: ({ changeId }) => `The change ${changeId} is carried out.`,
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
    `Staff let the automatic renewal catch up, of a domain whose books ended on ${expiresAt.slice(0, 10)}.`,
  DomainExpired: ({ name }) => `${name} expired.`,
  DomainSuspended: ({ staffReason }) => suspendedByStaff("domain", staffReason),
  DomainUnsuspended: () => "Staff lifted the domain's suspension.",
  DomainTakenOffline: ({ by }) =>
    `The domain does not resolve any more: ${by === "zone" ? "its zone is withdrawn" : "its registrar holds it"}.`,
  DomainBroughtOnline: () => "The domain resolves again.",
  DomainTransferStarted: () => "The domain is on its way to another registrar.",
  DomainTransferEnded: () => "The domain stays.",
  DomainWithheld: ({ name, expiresAt }) =>
    `Nobody renewed ${name}, which expired on ${expiresAt.slice(0, 10)}: its registry withholds it, and it can only be restored.`,
  DomainDeleted: ({ name, accountId }) =>
    `Nobody renewed ${name}: it is deleted, and no more of account ${String(accountId)}.`,
  DomainTransferredAway: ({ name, accountId }) =>
    `${name} is another registrar's, and no more of account ${String(accountId)}.`,
  DomainExpiryFollowed: ({ expiresAt }) =>
    `The registry renewed the domain by itself, until ${expiresAt}; nobody was charged.`,
};
