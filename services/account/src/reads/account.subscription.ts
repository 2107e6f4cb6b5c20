import { accountEvents, domainEvents, eventCodec, serverEvents, type EventOf } from "@hostledger/core";
import { ignoring } from "@hostledger/projections";

const { DomainRegistered, DomainTransferredIn, DomainRenewed, ...otherDomainEvents } = domainEvents;
const { ServerProvisioned, ServerRenewed, ...otherServerEvents } = serverEvents;
/** The facts of domains and servers that say that what an invoice is for was delivered. */
const deliveries = { DomainRegistered, DomainTransferredIn, DomainRenewed, ServerProvisioned, ServerRenewed };
const heard = { ...accountEvents, ...deliveries };

/** What the account service's read models hear: its own facts, and what was delivered. */
export type AccountSubscriptionEvent = EventOf<typeof heard>;

/** Reads these facts. */
export const accountSubscriptionCodec = eventCodec(heard);

/**
 * The account's own facts, for read models that name the few they want beside it. What the erasure of a person means for
 * money is nothing; its API keys are revoked by facts of their own.
 */
export const accountsIgnored = ignoring(accountEvents);

/**
 * The other facts in those streams, which say nothing about money. Every read model of this service has them: a projector
 * stops at a fact that nobody named, since it may mean something.
 */
export const unheardIgnored = ignoring(otherDomainEvents, otherServerEvents);

/** The number in a stream's name, for example 7 in `account-7`. */
export function accountIdOf(stream: string): number {
  return Number(stream.slice("account-".length));
}
