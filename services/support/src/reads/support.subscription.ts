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
  // Runs of the processes that may need a person: how each begins, the facts that say it waits for staff and goes on, and how it ends.
  RegistrationStarted: registrationEvents.RegistrationStarted,
  RegistrationParked: registrationEvents.RegistrationParked,
  RegistrationUnparked: registrationEvents.RegistrationUnparked,
  RegistrationCompleted: registrationEvents.RegistrationCompleted,
  RenewalRunStarted: renewalRunEvents.RenewalRunStarted,
  RenewalParked: renewalRunEvents.RenewalParked,
  RenewalUnparked: renewalRunEvents.RenewalUnparked,
  RenewalCompleted: renewalRunEvents.RenewalCompleted,
  TransferRunStarted: transferRunEvents.TransferRunStarted,
  TransferParked: transferRunEvents.TransferParked,
  TransferUnparked: transferRunEvents.TransferUnparked,
  TransferCompleted: transferRunEvents.TransferCompleted,
  ServerOrderStarted: serverOrderEvents.ServerOrderStarted,
  ServerOrderParked: serverOrderEvents.ServerOrderParked,
  ServerOrderUnparked: serverOrderEvents.ServerOrderUnparked,
  ServerOrderCompleted: serverOrderEvents.ServerOrderCompleted,
  ServerRenewalStarted: serverRenewalEvents.ServerRenewalStarted,
  ServerRenewalParked: serverRenewalEvents.ServerRenewalParked,
  ServerRenewalUnparked: serverRenewalEvents.ServerRenewalUnparked,
  ServerRenewalCompleted: serverRenewalEvents.ServerRenewalCompleted,
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
