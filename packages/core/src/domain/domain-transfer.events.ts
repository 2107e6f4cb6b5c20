import { z } from "zod";

import { defineEvents, event } from "../kernel/event-definition.ts";
import { cents, flag, hostname, hostnames, id, instant, line, secret, text } from "../kernel/fields.ts";

export const releaseReason = z.enum([
  "charge-refused",
  "order-refused",
  "order-not-carried-out",
  "order-cancelled",
  "abandoned",
]);

export const transferFields = {
  transferId: text,
  domainId: id,
  accountId: id,
  name: hostname,
  /** The gaining registrar. */
  provider: text,
  /** The authInfo, stored so that the order can be sent again after a crash. */
  authCode: secret(line(255)),
  autoRenew: flag,
  /** The customer's own nameservers; null keeps the delegation. */
  nameservers: hostnames.nullable(),
  /** Net price in cents (EUR) including the added year, from the price list at the time of the order. */
  netCents: cents,
};

/** The registrar's values and the charge of a domain. */
export const holding = {
  whoisPrivacy: flag,
  transferLock: flag,
  /** The registrar's nameservers; requested changes follow later. */
  nameservers: hostnames,
  chargeId: text,
  invoiceId: id,
  grossCents: cents,
  registeredAt: instant,
  expiresAt: instant,
};

const transfer = { transferId: text, domainId: id, accountId: id, name: hostname };

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
