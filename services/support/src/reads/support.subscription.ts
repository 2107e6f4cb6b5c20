import {
  accountEvents,
  comparisonEvents,
  domainEvents,
  eventCodec,
  noticeChoiceEvents,
  quarantineEvents,
  registrationEvents,
  renewalRunEvents,
  serverOrderEvents,
  serverRenewalEvents,
  serverEvents,
  ticketCauseEvents,
  ticketEvents,
  transferRunEvents,
  webhookEvents,
  type EventOf,
} from "@hostledger/core";
import { ignoring } from "@hostledger/projections";

const heard = {
  ...ticketEvents,
  ...ticketCauseEvents,
  ...quarantineEvents,
  ...webhookEvents,
  ...noticeChoiceEvents,
  CriticalDifferencesChanged: comparisonEvents.CriticalDifferencesChanged,
  AccountOpened: accountEvents.AccountOpened,
  ProfileChanged: accountEvents.ProfileChanged,
  PersonalDataErased: accountEvents.PersonalDataErased,
  BalanceCharged: accountEvents.BalanceCharged,
  BalanceAdjusted: accountEvents.BalanceAdjusted,
  InvoiceIssued: accountEvents.InvoiceIssued,
  ApiKeyIssued: accountEvents.ApiKeyIssued,
  ServerOrdered: serverEvents.ServerOrdered,
  ServerOrderFailed: serverEvents.ServerOrderFailed,
  ServerProvisioned: serverEvents.ServerProvisioned,
  ServerRenewed: serverEvents.ServerRenewed,
  ServerRenewalFailed: serverEvents.ServerRenewalFailed,
  ServerSuspended: serverEvents.ServerSuspended,
  ServerUnsuspended: serverEvents.ServerUnsuspended,
  ServerTerminated: serverEvents.ServerTerminated,
  DomainRegistered: domainEvents.DomainRegistered,
  DomainTransferredIn: domainEvents.DomainTransferredIn,
  ZoneCreationFailed: domainEvents.ZoneCreationFailed,
  ZoneCreated: domainEvents.ZoneCreated,
  DomainRenewed: domainEvents.DomainRenewed,
  DomainRenewalFailed: domainEvents.DomainRenewalFailed,
  DomainExpired: domainEvents.DomainExpired,
  TransferReleased: domainEvents.TransferReleased,
  DomainTransferredAway: domainEvents.DomainTransferredAway,
  DomainDeleted: domainEvents.DomainDeleted,
  DomainExpiryFollowed: domainEvents.DomainExpiryFollowed,
  DomainDeliverySuspended: domainEvents.DomainDeliverySuspended,
  // Runs of the processes that may need a person: how each begins, and the fact that says it waits for staff.
  RegistrationStarted: registrationEvents.RegistrationStarted,
  RegistrationParked: registrationEvents.RegistrationParked,
  RenewalRunStarted: renewalRunEvents.RenewalRunStarted,
  RenewalParked: renewalRunEvents.RenewalParked,
  TransferRunStarted: transferRunEvents.TransferRunStarted,
  TransferParked: transferRunEvents.TransferParked,
  ServerOrderStarted: serverOrderEvents.ServerOrderStarted,
  ServerOrderParked: serverOrderEvents.ServerOrderParked,
  ServerRenewalStarted: serverRenewalEvents.ServerRenewalStarted,
  ServerRenewalParked: serverRenewalEvents.ServerRenewalParked,
};

/** What the support service's read models hear. */
export type SupportSubscriptionEvent = EventOf<typeof heard>;

/** Reads these facts. */
export const supportSubscriptionCodec = eventCodec(heard);

/**
 * Everything in those streams, for each read model to name the few facts it wants beside it. Support lives beside the
 * other contexts: what they record from now on concerns it only when somebody says so.
 */
export const unheardIgnored = ignoring(
  ticketEvents,
  ticketCauseEvents,
  quarantineEvents,
  accountEvents,
  serverEvents,
  domainEvents,
  registrationEvents,
  renewalRunEvents,
  transferRunEvents,
  serverOrderEvents,
  serverRenewalEvents,
  webhookEvents,
  noticeChoiceEvents,
  comparisonEvents,
);
