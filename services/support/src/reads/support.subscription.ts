import {
  accountVersions,
  domainVersions,
  eventCodec,
  registrationVersions,
  renewalRunVersions,
  serverOrderVersions,
  serverRenewalVersions,
  serverVersions,
  ticketVersions,
  type AccountOpened,
  type DomainRenewalFailed,
  type RegistrationEvent,
  type RenewalEvent,
  type ServerOrdered,
  type ServerOrderFailed,
  type ServerOrderEvent,
  type ServerRenewalEvent,
  type TicketEvent,
  type ZoneCreationFailed,
} from "@hostledger/core";
import { ignoring } from "@hostledger/projections";

type Named<Event extends { readonly type: string }, Type extends Event["type"]> = Extract<
  Event,
  { readonly type: Type }
>;

/** Runs of the processes that may need a person: how each begins, and the fact that says it waits for staff. */
type RunFact =
  | Named<RegistrationEvent, "RegistrationStarted" | "RegistrationParked">
  | Named<RenewalEvent, "RenewalRunStarted" | "RenewalParked">
  | Named<ServerOrderEvent, "ServerOrderStarted" | "ServerOrderParked">
  | Named<ServerRenewalEvent, "ServerRenewalStarted" | "ServerRenewalParked">;

/** What the support service's read models hear. */
export type SupportLogEvent =
  | TicketEvent
  | AccountOpened
  | ServerOrdered
  | ServerOrderFailed
  | ZoneCreationFailed
  | DomainRenewalFailed
  | RunFact;

/** The streams in which these facts are, among others. */
export const supportLogPrefixes = [
  "ticket-",
  "account-",
  "server-",
  "domain-",
  "registration-",
  "renewal-",
  "serverorder-",
  "serverrenewal-",
] as const;

/** Reads these facts. */
export const supportLogCodec = eventCodec<SupportLogEvent>({
  ...ticketVersions,
  AccountOpened: accountVersions.AccountOpened,
  ServerOrdered: serverVersions.ServerOrdered,
  ServerOrderFailed: serverVersions.ServerOrderFailed,
  ZoneCreationFailed: domainVersions.ZoneCreationFailed,
  DomainRenewalFailed: domainVersions.DomainRenewalFailed,
  RegistrationStarted: registrationVersions.RegistrationStarted,
  RegistrationParked: registrationVersions.RegistrationParked,
  RenewalRunStarted: renewalRunVersions.RenewalRunStarted,
  RenewalParked: renewalRunVersions.RenewalParked,
  ServerOrderStarted: serverOrderVersions.ServerOrderStarted,
  ServerOrderParked: serverOrderVersions.ServerOrderParked,
  ServerRenewalStarted: serverRenewalVersions.ServerRenewalStarted,
  ServerRenewalParked: serverRenewalVersions.ServerRenewalParked,
});

/**
 * Everything in those streams, for each read model to name the few facts it wants beside it. Support lives beside the
 * other contexts: what they record from now on concerns it only when somebody says so.
 */
export const unheardIgnored = ignoring(
  ticketVersions,
  accountVersions,
  serverVersions,
  domainVersions,
  registrationVersions,
  renewalRunVersions,
  serverOrderVersions,
  serverRenewalVersions,
);
