import { z } from "zod";

import { defineEvents, event } from "../kernel/event-definition.ts";
import { cents, flag, hostname, hostnames, id, instant, line, secret, text } from "../kernel/fields.ts";

/** Why an order of a name ended without a domain. */
export const releaseReason = z.enum([
  "charge-refused",
  "order-refused",
  "order-not-carried-out",
  "order-cancelled",
  "abandoned",
]);

/** A transfer to us, as it was asked for. */
export const transferFields = {
  transferId: text,
  domainId: id,
  accountId: id,
  name: hostname,
  /** The registrar that shall hold it. */
  provider: text,
  /** The other registrar's code, which must survive a crash to be sent again. */
  authCode: secret(line(255)),
  autoRenew: flag,
  /** The customer's own nameservers, or null where the delegation stays. */
  nameservers: hostnames.nullable(),
  /** Net price with the year that it adds, in cents (EUR), from the price list at this moment. */
  netCents: cents,
};

/** What the registrar holds when a name is the account's, and what was paid for it. */
export const holding = {
  whoisPrivacy: flag,
  transferLock: flag,
  /** As the registrar told them; others are applied afterwards. */
  nameservers: hostnames,
  chargeId: text,
  invoiceId: id,
  grossCents: cents,
  /** The registrar's times. */
  registeredAt: instant,
  expiresAt: instant,
};

const transfer = { transferId: text, domainId: id, accountId: id, name: hostname };

/** The transfer of a name from another registrar to us. */
export const domainTransferEvents = defineEvents({
  TransferReserved: event("The name was taken for one transfer to us, until that has settled.", {
    ...transferFields,
    reservedAt: instant,
  }),
  TransferReleased: event(
    "The transfer ended without the domain, and nothing stays charged: it is free again.",
    {
      ...transfer,
      reason: releaseReason,
      releasedAt: instant,
    },
  ),
  DomainTransferredIn: event("The name came over to our registrar, paid for, and is the account's.", {
    ...transfer,
    provider: text,
    autoRenew: flag,
    ...holding,
    transferredAt: instant,
  }),
});
