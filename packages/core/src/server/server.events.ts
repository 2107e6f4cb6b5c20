import { z } from "zod";

import { eventCodec } from "../kernel/event-codec.ts";
import { defineEvents, event, shape, type DataOf, type EventOf } from "../kernel/event-definition.ts";
import { cents, flag, id, instant, line, percent, staffReason, text } from "../kernel/fields.ts";

const months = z.int().min(1).max(120);
const ports = line(255);
const address = line(64);

const rule = {
  /** Id of the change that added the rule, independent of its position. */
  ruleId: text,
  type: z.enum(["in", "out"]),
  action: z.enum(["ACCEPT", "DROP", "REJECT"]),
  proto: line(20),
  dport: ports,
  sport: ports,
  source: address,
  dest: address,
  comment: line(255),
  enable: flag,
};

/** A firewall rule as events store it, in Proxmox VE's terms; an empty text matches anything. */
export type RecordedFirewallRule = DataOf<typeof rule>;

const renewalV1 = {
  /** Id of the renewal's run and of its charge. */
  renewalId: text,
  serverId: id,
  accountId: id,
  planId: id,
  planTitle: text,
  months,
  monthGrossCents: cents,
  discountPercent: percent,
  surchargePercent: percent,
  grossCents: cents,
  startedAt: instant,
};

/** Data of a server on its renewal's document; null in older events. */
export const renewedServer = {
  hostname: line(63).nullable(),
  /** Period that the renewal pays for. */
  period: z.strictObject({ from: instant, until: instant }).nullable(),
};

const renewed = {
  renewalId: text,
  serverId: id,
  accountId: id,
  months,
  chargeId: text,
  invoiceId: id,
  grossCents: cents,
  wasSuspended: flag,
  previousExpiresAt: instant,
  renewedAt: instant,
};

const suspendedV1 = { serverId: id, reason: z.enum(["expired", "staff"]), suspendedAt: instant };
const suspendedV2 = shape(
  { ...suspendedV1, staffReason: staffReason.nullable() },
  { was: [shape(suspendedV1), (data) => ({ ...data, staffReason: null })] },
);

/** Events of a server (stream `server-<id>`). */
export const serverEvents = defineEvents({
  ServerOrdered: event("The customer ordered a server, and a unit is reserved. Payment and setup follow.", {
    orderId: text,
    serverId: id,
    accountId: id,
    planId: id,
    planTitle: text,
    regionId: id,
    distroId: id,
    distro: text,
    months,
    whitelisted: flag,
    sshKey: line(8_192).nullable(),
    /** Gross price of a month in cents (EUR), from the plan at this moment. */
    monthGrossCents: cents,
    orderedAt: instant,
  }),
  ServerProvisioned: event(
    "The compute provider set the server up on a node. It belongs to the account until it expires.",
    {
      orderId: text,
      serverId: id,
      accountId: id,
      planId: id,
      node: text,
      ipAddress: address,
      rdns: line(255),
      /** Id of the charge; null for a gift or a migration. */
      chargeId: text.nullable(),
      invoiceId: id.nullable(),
      provisionedAt: instant,
      expiresAt: instant,
    },
  ),
  ServerOrderFailed: event("The order ended without a server.", {
    orderId: text,
    serverId: id,
    accountId: id,
    reason: text,
    failedAt: instant,
  }),
  ServerRenewalBegun: event(
    "A renewal of the server began at a fixed price. Later changes of the plan or the server do not change the price.",
    { ...renewalV1, ...renewedServer },
    { was: [shape(renewalV1), (data) => ({ ...data, hostname: null, period: null })] },
  ),
  ServerRenewalFailed: event(
    "The renewal failed, and the account was not charged or got its money back. An automatic renewal is tried again.",
    {
      renewalId: text,
      serverId: id,
      accountId: id,
      reason: text,
      failedAt: instant,
      automatic: flag,
      /** Expiry date of the paid period to renew; null in events older than automatic renewal. */
      expiresAt: instant.nullable(),
      /** Amount in cents (EUR) that the balance did not cover; null if the renewal failed for another reason. */
      requiredCents: cents.nullable(),
    },
    { firstVersion: 2 },
  ),
  ServerAutoRenewalChanged: event("The automatic renewal of the server was turned on or off.", {
    serverId: id,
    /** Id of the change; repeats have the same id. */
    changeId: text,
    autoRenew: flag,
    changedAt: instant,
  }),
  ServerRenewed: event(
    "The account paid for further months of the server. A suspended server runs again, unless staff hold it.",
    { ...renewed, expiresAt: instant, staysSuspended: flag },
    { was: [shape({ ...renewed, expiresAt: instant }), (data) => ({ ...data, staysSuspended: false })] },
  ),
  ServerSuspended: event(
    "The server was stopped because it expired or because staff suspended it. A renewal lifts the suspension, except a hold: only staff end a hold.",
    {
      ...suspendedV1,
      /** True if staff gave a public reason. */
      hold: flag,
      /** Reason of a hold for the customer. Null without a hold, and for holds that an older version stored. */
      publicReason: staffReason.nullable(),
      note: staffReason.nullable(),
    },
    {
      was: [
        suspendedV2,
        // Older reasons were written only for staff.
        ({ staffReason: note, ...data }) => ({ ...data, hold: note !== null, publicReason: null, note }),
      ],
    },
  ),
  ServerSuspensionNoted: event("Staff replaced their internal note about the reason of the suspension.", {
    serverId: id,
    note: staffReason,
    notedAt: instant,
  }),
  ServerUnsuspended: event("Staff lifted the suspension of the server.", {
    serverId: id,
    unsuspendedAt: instant,
  }),
  ServerCancelled: event("The customer cancelled the server. It ends when its paid time ends.", {
    changeId: text,
    serverId: id,
    accountId: id,
    endsAt: instant,
    cancelledAt: instant,
  }),
  ServerTerminationBegun: event(
    "The account lost the server. The compute provider must now destroy the machine.",
    {
      changeId: text,
      serverId: id,
      accountId: id,
      /** `expired`: not renewed in time. `customer`, `staff`: ended by the customer or by staff. */
      reason: z.enum(["expired", "customer", "staff"]),
      begunAt: instant,
    },
  ),
  ServerTerminated: event("The compute provider destroyed the machine. Nothing of the server remains.", {
    serverId: id,
    accountId: id,
    node: text,
    ipAddress: address,
    terminatedAt: instant,
  }),
  FirewallToggled: event("The firewall was turned on or off.", {
    serverId: id,
    changeId: text,
    enabled: flag,
    toggledAt: instant,
  }),
  FirewallRuleAdded: event("A firewall rule was added after the present rules.", {
    serverId: id,
    rule: z.strictObject(rule),
    addedAt: instant,
  }),
  FirewallRuleRemoved: event("A firewall rule was removed. The rules after it moved up.", {
    serverId: id,
    changeId: text,
    ruleId: text,
    removedAt: instant,
  }),
  HostnameChanged: event("The display host name was set, or cleared (null).", {
    serverId: id,
    changeId: text,
    hostname: line(63).nullable(),
    changedAt: instant,
  }),
  ServerWhitelisted: event("Staff allowed the server to turn its firewall off.", {
    serverId: id,
    whitelistedAt: instant,
  }),
  ServerWhitelistingRevoked: event("Staff no longer allow the server to turn its firewall off.", {
    serverId: id,
    revokedAt: instant,
  }),
});

export type ServerEvent = EventOf<typeof serverEvents>;
export type ServerOrdered = EventOf<typeof serverEvents, "ServerOrdered">;
export type ServerProvisioned = EventOf<typeof serverEvents, "ServerProvisioned">;
export type ServerRenewalBegun = EventOf<typeof serverEvents, "ServerRenewalBegun">;
export type ServerRenewalFailed = EventOf<typeof serverEvents, "ServerRenewalFailed">;
export type ServerRenewed = EventOf<typeof serverEvents, "ServerRenewed">;
export type ServerSuspended = EventOf<typeof serverEvents, "ServerSuspended">;
export type ServerTerminationBegun = EventOf<typeof serverEvents, "ServerTerminationBegun">;
export type FirewallRuleAdded = EventOf<typeof serverEvents, "FirewallRuleAdded">;

export const serverCodec = eventCodec(serverEvents);
