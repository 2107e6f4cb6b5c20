import {
  domainVersions,
  historyCodec,
  priceListVersions,
  registrationEvents,
  renewalRunEvents,
  type DomainChangeEvent,
  type DomainNameEvent,
  type DomainRenewalEvent,
  type DomainStatusEvent,
  type PriceListEvent,
  type RegistrationEvent,
  type RenewalEvent,
} from "@hostledger/core";

/** What the domain service's read models hear. */
export type DomainLogEvent = DomainNameEvent | PriceListEvent | RegistrationEvent | RenewalEvent;

/** The streams in which these facts are. */
export const domainLogPrefixes = ["domain-", "pricelist-", "registration-", "renewal-"] as const;

/** Reads these facts. */
export const domainLogCodec = historyCodec<DomainLogEvent>({
  ...domainVersions,
  ...priceListVersions,
  ...registrationEvents,
  ...renewalRunEvents,
});

/** The facts of runs, for read models that have no use for them. */
export const runsIgnored = {
  RegistrationStarted: "ignored",
  RegistrationCharged: "ignored",
  RegistrationChargeRefused: "ignored",
  RegistrarOrderCompleted: "ignored",
  RegistrarOrderRefused: "ignored",
  RegistrarOutcomeUnknown: "ignored",
  RegistrarInquiryFailed: "ignored",
  RegistrarOrderResumed: "ignored",
  RegistrationChargeReturned: "ignored",
  RegistrationNeverCharged: "ignored",
  RegistrationLeftUnsettled: "ignored",
  RegistrarCancellationDue: "ignored",
  RegistrarOrderCancelled: "ignored",
  RegistrationConfirmed: "ignored",
  DelegationUnanswered: "ignored",
  DelegationCompleted: "ignored",
  DelegationRefused: "ignored",
  DelegationRefusalRecorded: "ignored",
  ZoneDelivered: "ignored",
  ZoneAttemptFailed: "ignored",
  ZoneFailureRecorded: "ignored",
  RegistrationParked: "ignored",
  RegistrationUnparked: "ignored",
  RegistrationAbandoned: "ignored",
  RegistrationCompleted: "ignored",
  RenewalRunStarted: "ignored",
  RenewalCharged: "ignored",
  RenewalChargeRefused: "ignored",
  RenewalOrderCompleted: "ignored",
  RenewalOrderRefused: "ignored",
  RenewalOutcomeUnknown: "ignored",
  RenewalInquiryFailed: "ignored",
  RenewalOrderResumed: "ignored",
  RenewalNeverCharged: "ignored",
  RenewalChargeReturned: "ignored",
  RenewalParked: "ignored",
  RenewalUnparked: "ignored",
  RenewalAbandoned: "ignored",
  RenewalCompleted: "ignored",
} as const satisfies Readonly<Record<(RegistrationEvent | RenewalEvent)["type"], "ignored">>;

/** What changes of a domain come to, for read models that have no use for it. */
export const changesIgnored = {
  DomainChangeStarted: "ignored",
  DomainChangeCompleted: "ignored",
  DomainChangeFailed: "ignored",
  DnsRecordAdded: "ignored",
  DnsRecordUpdated: "ignored",
  DnsRecordDeleted: "ignored",
  AutoRenewalChanged: "ignored",
  WhoisPrivacyChanged: "ignored",
  TransferLockChanged: "ignored",
} as const satisfies Readonly<Record<DomainChangeEvent["type"], "ignored">>;

/** The renewals of domains, for read models that have no use for them. */
export const renewalsIgnored = {
  DomainRenewalStarted: "ignored",
  DomainRenewed: "ignored",
  DomainRenewalFailed: "ignored",
  DomainExpired: "ignored",
} as const satisfies Readonly<Record<DomainRenewalEvent["type"], "ignored">>;

/** Staff's word on domains, for read models that have no use for it. */
export const statusesIgnored = {
  DomainSuspended: "ignored",
  DomainUnsuspended: "ignored",
  DomainTransferStarted: "ignored",
  DomainTransferEnded: "ignored",
} as const satisfies Readonly<Record<DomainStatusEvent["type"], "ignored">>;
