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
  TransferReserved: event("The name was reserved for one transfer to us until that transfer ends.", {
    ...transferFields,
    reservedAt: instant,
  }),
  TransferReleased: event(
    "The transfer ended without the domain and without a charge, so the name was released.",
    {
      ...transfer,
      reason: releaseReason,
      releasedAt: instant,
    },
  ),
  DomainTransferredIn: event(
    "The name was transferred to our registrar and paid for, and now belongs to the account.",
    {
      ...transfer,
      provider: text,
      autoRenew: flag,
      ...holding,
      transferredAt: instant,
    },
  ),
});
