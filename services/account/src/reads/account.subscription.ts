import { accountEvents, domainEvents, eventCodec, serverEvents, type EventOf } from "@hostledger/core";
import { ignoring } from "@hostledger/projections";

const {
  DomainRegistered,
  DomainTransferredIn,
  DomainRenewed,
  RegistrationReserved,
  RegistrationReleased,
  TransferReserved,
  TransferReleased,
  DomainTransferredAway,
  DomainDeleted,
  ...otherDomainEvents
} = domainEvents;
const {
  ServerProvisioned,
  ServerRenewed,
  ServerOrdered,
  ServerOrderFailed,
  ServerTerminationBegun,
  ...otherServerEvents
} = serverEvents;
/** The facts of domains and servers that say that what an invoice is for was delivered. */
const deliveries = { DomainRegistered, DomainTransferredIn, DomainRenewed, ServerProvisioned, ServerRenewed };
/** The facts that say from when to when a domain or a server is an account's. */
const holdings = {
  RegistrationReserved,
  RegistrationReleased,
  TransferReserved,
  TransferReleased,
  DomainTransferredAway,
  DomainDeleted,
  ServerOrdered,
  ServerOrderFailed,
  ServerTerminationBegun,
};
const heard = { ...accountEvents, ...deliveries, ...holdings };

/** What the account service's read models hear: its own facts, what was delivered, and what accounts have. */
export type AccountSubscriptionEvent = EventOf<typeof heard>;

/** Reads these facts. */
export const accountSubscriptionCodec = eventCodec(heard);

/**
 * The account's own facts, for read models that name the few they want beside it. What the erasure of a person means for
 * money is nothing; its API keys are revoked by facts of their own.
 */
export const accountsIgnored = ignoring(accountEvents);

/** Who has what, for read models of documents and keys. */
export const holdingsIgnored = ignoring(holdings);

/**
 * The other facts in those streams, which say nothing about money. Every read model of this service has them: a projector
 * stops at a fact that nobody named, since it may mean something.
 */
export const unheardIgnored = ignoring(otherDomainEvents, otherServerEvents);

/** The number in a stream's name, for example 7 in `account-7`. */
export function accountIdOf(stream: string): number {
  return Number(stream.slice("account-".length));
}
