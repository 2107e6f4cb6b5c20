import { z } from "zod";

import type { EventVersions } from "../kernel/event-codec.ts";
import { idField, instantField, textField } from "../kernel/fields.ts";
import type { DomainChangeEvent } from "./domain.events.ts";

/** A host or domain name. */
export const nameField = z.string().max(253);

/** Nameservers. */
export const hostsField = z.array(nameField).max(13);

/** A DNS record as a fact states it. */
export const recordField = z.strictObject({
  recordId: idField,
  type: z.enum(["A", "AAAA", "CNAME", "MX", "TXT", "NS", "SRV", "CAA"]),
  name: z.string().max(255),
  value: z.string().max(1_000),
  ttlSeconds: z.int().min(60).max(86_400),
  priority: z.int().min(0).max(65_535).nullable(),
});

const changeField = z.discriminatedUnion("kind", [
  z.strictObject({
    kind: z.literal("nameservers"),
    usesServiceNameservers: z.boolean(),
    nameservers: hostsField,
  }),
  z.strictObject({ kind: z.literal("add-record"), record: recordField }),
  z.strictObject({ kind: z.literal("update-record"), record: recordField }),
  z.strictObject({ kind: z.literal("delete-record"), recordId: idField }),
  z.strictObject({
    kind: z.literal("settings"),
    whoisPrivacy: z.boolean().nullable(),
    transferLock: z.boolean().nullable(),
  }),
]);

const changed = { domainId: idField, changeId: textField };

/** The shapes that the events of changes have had, oldest first. */
export const changeVersions: Readonly<Record<DomainChangeEvent["type"], EventVersions>> = {
  DomainChangeStarted: {
    schemas: [z.strictObject({ ...changed, change: changeField, startedAt: instantField })],
  },
  DomainChangeCompleted: { schemas: [z.strictObject({ ...changed, completedAt: instantField })] },
  DomainChangeFailed: {
    schemas: [
      z.strictObject({
        ...changed,
        code: z.enum(["registrar-refused", "registrar-unavailable", "dns-unavailable"]),
        reason: textField,
        failedAt: instantField,
      }),
    ],
  },
  DnsRecordAdded: { schemas: [z.strictObject({ ...changed, record: recordField, addedAt: instantField })] },
  DnsRecordUpdated: {
    schemas: [z.strictObject({ ...changed, record: recordField, updatedAt: instantField })],
  },
  DnsRecordDeleted: {
    schemas: [z.strictObject({ ...changed, recordId: idField, deletedAt: instantField })],
  },
  AutoRenewalChanged: {
    schemas: [z.strictObject({ ...changed, autoRenew: z.boolean(), changedAt: instantField })],
  },
  WhoisPrivacyChanged: {
    schemas: [z.strictObject({ domainId: idField, whoisPrivacy: z.boolean(), changedAt: instantField })],
  },
  TransferLockChanged: {
    schemas: [z.strictObject({ domainId: idField, transferLock: z.boolean(), changedAt: instantField })],
  },
};
