import { z } from "zod";

import { historyCodec, type EventVersions } from "../kernel/event-codec.ts";
import { centsField, idField, instantField, textField } from "../kernel/fields.ts";
import type { ServerEvent } from "./server.events.ts";

const serverId = idField;
const monthsField = z.int().min(1).max(120);
const portsField = z.string().max(255);
const addressField = z.string().max(64);

const ruleField = z.strictObject({
  ruleId: textField,
  type: z.enum(["in", "out"]),
  action: z.enum(["ACCEPT", "DROP", "REJECT"]),
  proto: z.string().max(20),
  dport: portsField,
  sport: portsField,
  source: addressField,
  dest: addressField,
  comment: z.string().max(255),
  enable: z.boolean(),
});

/** The shapes a server's events have had, oldest first. */
export const serverVersions: Readonly<Record<ServerEvent["type"], EventVersions>> = {
  ServerOrdered: {
    schemas: [
      z.strictObject({
        orderId: textField,
        serverId,
        accountId: idField,
        planId: idField,
        planTitle: textField,
        regionId: idField,
        distroId: idField,
        distro: textField,
        months: monthsField,
        whitelisted: z.boolean(),
        sshKey: z.string().max(8_192).nullable(),
        monthGrossCents: centsField,
        orderedAt: instantField,
      }),
    ],
  },
  ServerProvisioned: {
    schemas: [
      z.strictObject({
        orderId: textField,
        serverId,
        accountId: idField,
        planId: idField,
        node: textField,
        ipAddress: addressField,
        rdns: z.string().max(255),
        chargeId: textField.nullable(),
        invoiceId: idField.nullable(),
        provisionedAt: instantField,
        expiresAt: instantField,
      }),
    ],
  },
  ServerOrderFailed: {
    schemas: [
      z.strictObject({
        orderId: textField,
        serverId,
        accountId: idField,
        reason: textField,
        failedAt: instantField,
      }),
    ],
  },
  ServerRenewed: {
    schemas: [
      z.strictObject({
        renewalId: textField,
        serverId,
        accountId: idField,
        months: monthsField,
        chargeId: textField,
        invoiceId: idField,
        grossCents: centsField,
        wasSuspended: z.boolean(),
        previousExpiresAt: instantField,
        expiresAt: instantField,
        renewedAt: instantField,
      }),
    ],
  },
  ServerSuspended: {
    schemas: [z.strictObject({ serverId, reason: z.enum(["expired", "staff"]), suspendedAt: instantField })],
  },
  ServerUnsuspended: { schemas: [z.strictObject({ serverId, unsuspendedAt: instantField })] },
  FirewallToggled: {
    schemas: [
      z.strictObject({ serverId, changeId: textField, enabled: z.boolean(), toggledAt: instantField }),
    ],
  },
  FirewallRuleAdded: {
    schemas: [z.strictObject({ serverId, rule: ruleField, addedAt: instantField })],
  },
  FirewallRuleRemoved: {
    schemas: [z.strictObject({ serverId, changeId: textField, ruleId: textField, removedAt: instantField })],
  },
  HostnameChanged: {
    schemas: [
      z.strictObject({
        serverId,
        changeId: textField,
        hostname: z.string().max(63).nullable(),
        changedAt: instantField,
      }),
    ],
  },
  ServerWhitelisted: { schemas: [z.strictObject({ serverId, whitelistedAt: instantField })] },
  ServerWhitelistingRevoked: { schemas: [z.strictObject({ serverId, revokedAt: instantField })] },
};

/** Reads and names a server's events. */
export const serverCodec = historyCodec<ServerEvent>(serverVersions);
