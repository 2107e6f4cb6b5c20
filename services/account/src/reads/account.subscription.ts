import {
  accountEvents,
  bankEvents,
  documentEvents,
  domainEvents,
  eventCodec,
  paymentEvents,
  serverEvents,
  walletEvents,
  type EventOf,
} from "@hostledger/core";
import { ignoring } from "@hostledger/read";

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
/** Events that confirm the delivery of an invoiced item. */
const deliveries = { DomainRegistered, DomainTransferredIn, DomainRenewed, ServerProvisioned, ServerRenewed };
/** Events that begin or end the possession of a domain or server. */
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
const heard = {
  ...accountEvents,
  ...deliveries,
  ...holdings,
  ...documentEvents,
  ...paymentEvents,
  ...bankEvents,
  ...walletEvents,
};

/** Events that the account service subscribes to: its own, deliveries, possession, archived documents, payments, stored methods and bank entries. */
export type AccountSubscriptionEvent = EventOf<typeof heard>;

export const accountSubscriptionCodec = eventCodec(heard);

/** Ignores the account's events, for read models that handle a few of them. */
export const accountsIgnored = ignoring(accountEvents);

/** Ignores the events that confirm a delivery. */
export const deliveriesIgnored = ignoring(deliveries);

/** Ignores the events of documents' files. */
export const documentsIgnored = ignoring(documentEvents);

/** Ignores the events of payments. */
export const paymentsIgnored = ignoring(paymentEvents);

const { RefundOrdered, RefundSettled, RefundRefused } = paymentEvents;

/** Ignores the events of refunds. */
export const refundsIgnored = ignoring({ RefundOrdered, RefundSettled, RefundRefused });
/** Ignores the events of stored payment methods and automatic top-ups. */
export const walletsIgnored = ignoring(walletEvents);

/** Ignores the events of the operator's bank account. */
export const bankIgnored = ignoring(bankEvents);

/** Ignores possession events. */
export const holdingsIgnored = ignoring(holdings);

/** Ignores the other subscribed events, because a projector stops at an event without a handler. */
export const unheardIgnored = ignoring(otherDomainEvents, otherServerEvents);
