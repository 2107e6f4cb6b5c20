import type { DomainNameEvent, RegistrationEvent, RenewalEvent, TransferEvent } from "@hostledger/core";
import { because, chargeSentences, counted, onOff, staffSentences, type Sentences } from "./sentences.ts";

const renewalStarted = ({ name, years, automatic }: { name: string; years: number; automatic: boolean }) =>
  `The ${automatic ? "automatic renewal" : "renewal"} of ${name} for ${counted(years, "year")} began.`;

/** Names: from the first reservation on. */
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
  DomainExpired: ({ name }) => `${name} expired.`,
  DomainSuspended: () => "Staff suspended the domain.",
  DomainUnsuspended: () => "Staff lifted the domain's suspension.",
  DomainTransferStarted: () => "The domain is on its way to another registrar.",
  DomainTransferEnded: () => "The domain stays.",
};

/** Registration runs. */
export const registrationSentences: Sentences<RegistrationEvent> = {
  RegistrationStarted: ({ name, years, accountId }) =>
    `The registration of ${name} for account ${String(accountId)}, for ${counted(years, "year")}, began.`,
  RegistrationCharged: chargeSentences.charged,
  RegistrationChargeRefused: chargeSentences.refused,
  RegistrarOrderCompleted: ({ provider, expiresAt }) =>
    `The registrar (${provider}) carried out the order; the name expires at ${expiresAt}.`,
  RegistrarOrderRefused: because("The registrar refused the order"),
  RegistrarOutcomeUnknown: because("What came of the order is unknown; the registrar is asked"),
  RegistrarInquiryFailed: because("The registrar could not tell"),
  RegistrarOrderNotHeld: () => "The registrar holds nothing; it is asked again, since orders come late.",
  RegistrarOrderResumed: () => "The registrar holds nothing: the order is sent now.",
  RegistrationNeverCharged: chargeSentences.never,
  RegistrationChargeReturned: chargeSentences.returned,
  RegistrationLeftUnsettled: () => "The name is held, and the registrar is asked until it answers.",
  RegistrarCancellationDue: () =>
    "The registrar carried out an order that is no longer wanted: it is cancelled.",
  RegistrarOrderCancelled: () => "The registrar cancelled the order.",
  RegistrationConfirmed: () => "The domain is the account's.",
  DelegationUnanswered: because("The registrar did not answer about the nameservers"),
  DelegationCompleted: () => "The registrar delegates to the customer's nameservers.",
  DelegationRefused: because("The registrar does not delegate to the customer's nameservers"),
  DelegationRefusalRecorded: () => "The refusal of the nameservers is on record.",
  ZoneDelivered: () => "The DNS server has the zone.",
  ZoneAttemptFailed: because("The DNS server did not take the zone"),
  ZoneFailureRecorded: () => "It is on record that the zone is missing.",
  RegistrationParked: staffSentences.waits,
  RegistrationUnparked: staffSentences.retried,
  RegistrationAbandoned: staffSentences.ended,
  RegistrationCompleted: ({ outcome }) => `The registration ended: ${outcome}.`,
};

/** Renewal runs of domains. */
export const renewalSentences: Sentences<RenewalEvent> = {
  RenewalRunStarted: renewalStarted,
  RenewalCharged: chargeSentences.charged,
  RenewalChargeRefused: chargeSentences.refused,
  RenewalOrderCompleted: ({ expiresAt }) => `The registrar renewed the name until ${expiresAt}.`,
  RenewalOrderRefused: because("The registrar did not renew the name"),
  RenewalOutcomeUnknown: because("What came of the order is unknown; the registrar is asked"),
  RenewalInquiryFailed: because("The registrar could not tell"),
  RenewalOrderNotHeld: () =>
    "The registrar has the old expiry date; it is asked again, since orders come late.",
  RenewalOrderResumed: () => "The registrar has not renewed the name: the order is sent now.",
  RenewalNeverCharged: chargeSentences.never,
  RenewalChargeReturned: chargeSentences.returned,
  RenewalParked: staffSentences.waits,
  RenewalUnparked: staffSentences.retried,
  RenewalAbandoned: staffSentences.ended,
  RenewalCompleted: ({ outcome }) => `The renewal ended: ${outcome}.`,
};

/** Transfers to us; what the registrar says of an order is told as everywhere. */
export const transferSentences: Sentences<Exclude<TransferEvent, RegistrationEvent>> = {
  TransferRunStarted: ({ name, accountId }) =>
    `The transfer of ${name} to us for account ${String(accountId)} began.`,
  TransferCharged: chargeSentences.charged,
  TransferChargeRefused: chargeSentences.refused,
  TransferPending: () => "The registry took the order down; the other registrar has yet to answer it.",
  TransferOrderRefused: because("The name was not transferred"),
  TransferNeverCharged: chargeSentences.never,
  TransferChargeReturned: chargeSentences.returned,
  TransferParked: staffSentences.waits,
  TransferUnparked: staffSentences.retried,
  TransferAbandoned: staffSentences.ended,
  TransferCompleted: ({ outcome }) => `The transfer ended: ${outcome}.`,
};
