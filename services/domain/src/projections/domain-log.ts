import {
  domainVersions,
  eventCodec,
  priceListVersions,
  registrationVersions,
  type DomainNameEvent,
  type PriceListEvent,
  type RegistrationEvent,
} from "@hostledger/core";

/** What the domain service's read models hear. */
export type DomainLogEvent = DomainNameEvent | PriceListEvent | RegistrationEvent;

/** The streams in which these facts are. */
export const domainLogPrefixes = ["domain-", "pricelist-", "registration-"] as const;

/** Reads these facts. */
export const domainLogCodec = eventCodec<DomainLogEvent>({
  ...domainVersions,
  ...priceListVersions,
  ...registrationVersions,
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
} as const satisfies Readonly<Record<RegistrationEvent["type"], "ignored">>;
