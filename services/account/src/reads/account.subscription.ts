import {
  accountVersions,
  domainVersions,
  eventCodec,
  serverVersions,
  type AccountEvent,
  type DomainNameEvent,
  type DomainRegistered,
  type DomainRenewed,
  type ServerEvent,
  type ServerProvisioned,
  type ServerRenewed,
} from "@hostledger/core";

/** The facts of domains and servers that say that what an invoice is for was delivered. */
export type DeliveryEvent = DomainRegistered | DomainRenewed | ServerProvisioned | ServerRenewed;

/** What the account service's read models hear: its own facts, and what was delivered. */
export type AccountLogEvent = AccountEvent | DeliveryEvent;

/** The streams in which these facts are, among others. */
export const accountLogPrefixes = ["account-", "domain-", "server-"] as const;

const { DomainRegistered, DomainRenewed } = domainVersions;
const { ServerProvisioned, ServerRenewed } = serverVersions;

/** Reads these facts. */
export const accountLogCodec = eventCodec<AccountLogEvent>({
  ...accountVersions,
  DomainRegistered,
  DomainRenewed,
  ServerProvisioned,
  ServerRenewed,
});

/** The account's own facts, for read models that name the few they want beside it. */
export const accountsIgnored = {
  AccountOpened: "ignored",
  // What it means for money is nothing; its API keys are revoked by facts of their own.
  PersonalDataErased: "ignored",
  VatExemptionChanged: "ignored",
  BalanceCredited: "ignored",
  BalanceCharged: "ignored",
  RegistrationRefunded: "ignored",
  ChargeRefunded: "ignored",
  InvoiceIssued: "ignored",
  CorrectionIssued: "ignored",
  ApiKeyIssued: "ignored",
  ApiKeyRevoked: "ignored",
} as const satisfies Readonly<Record<AccountEvent["type"], "ignored">>;

/**
 * The other facts in those streams, which say nothing about money. Every read model of this service has them: a projector
 * stops at a fact that nobody named, since it may mean something.
 */
export const unheardIgnored = {
  RegistrationReserved: "ignored",
  RegistrationReleased: "ignored",
  RegistrationHeld: "ignored",
  ZoneCreated: "ignored",
  ZoneCreationFailed: "ignored",
  NameserversChanged: "ignored",
  NameserversRefused: "ignored",
  DomainChangeStarted: "ignored",
  DomainChangeCompleted: "ignored",
  DomainChangeFailed: "ignored",
  DnsRecordAdded: "ignored",
  DnsRecordUpdated: "ignored",
  DnsRecordDeleted: "ignored",
  AutoRenewalChanged: "ignored",
  WhoisPrivacyChanged: "ignored",
  TransferLockChanged: "ignored",
  DomainRenewalStarted: "ignored",
  DomainRenewalFailed: "ignored",
  DomainExpired: "ignored",
  DomainSuspended: "ignored",
  DomainUnsuspended: "ignored",
  DomainTransferStarted: "ignored",
  DomainTransferEnded: "ignored",
  ServerOrdered: "ignored",
  ServerOrderFailed: "ignored",
  ServerSuspended: "ignored",
  ServerUnsuspended: "ignored",
  FirewallToggled: "ignored",
  FirewallRuleAdded: "ignored",
  FirewallRuleRemoved: "ignored",
  HostnameChanged: "ignored",
  ServerWhitelisted: "ignored",
  ServerWhitelistingRevoked: "ignored",
} as const satisfies Readonly<
  Record<Exclude<(DomainNameEvent | ServerEvent)["type"], DeliveryEvent["type"]>, "ignored">
>;

/** The number in a stream's name, for example 7 in `account-7`. */
export function accountIdOf(stream: string): number {
  return Number(stream.slice("account-".length));
}
