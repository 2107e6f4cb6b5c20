import type { RecordedDnsRecord } from "./domain-changes.events.ts";
import type { DomainChangeEvent } from "./domain.events.ts";

/** Examples of changes' events, for specs: mail for the domain 3, example.com. */

export const changeId = "change-1";
export const changedAt = "2026-04-01T10:00:00.000000Z";

export const mailRecord: RecordedDnsRecord = {
  recordId: 22,
  type: "MX",
  name: "@",
  value: "mail.example.com",
  ttlSeconds: 3_600,
  priority: 10,
};

const changed = { domainId: 3, changeId } as const;

export const changeEvents = {
  DomainChangeStarted: {
    type: "DomainChangeStarted",
    data: { ...changed, change: { kind: "add-record", record: mailRecord }, startedAt: changedAt },
  },
  DomainChangeCompleted: { type: "DomainChangeCompleted", data: { ...changed, completedAt: changedAt } },
  DomainChangeFailed: {
    type: "DomainChangeFailed",
    data: {
      ...changed,
      code: "dns-unavailable",
      reason: "The DNS server is down",
      by: "party",
      accountId: 7,
      name: "example.com",
      failedAt: changedAt,
    },
  },
  DnsRecordAdded: {
    type: "DnsRecordAdded",
    data: { ...changed, record: mailRecord, addedAt: changedAt },
  },
  DnsRecordUpdated: {
    type: "DnsRecordUpdated",
    data: {
      ...changed,
      record: { ...mailRecord, recordId: 20, type: "A", value: "192.0.2.7", priority: null },
      updatedAt: changedAt,
    },
  },
  DnsRecordDeleted: { type: "DnsRecordDeleted", data: { ...changed, recordId: 21, deletedAt: changedAt } },
  AutoRenewalChanged: { type: "AutoRenewalChanged", data: { ...changed, autoRenew: true, changedAt } },
  WhoisPrivacyChanged: {
    type: "WhoisPrivacyChanged",
    data: { domainId: 3, whoisPrivacy: false, changedAt },
  },
  TransferLockChanged: {
    type: "TransferLockChanged",
    data: { domainId: 3, transferLock: false, changedAt },
  },
} as const satisfies Readonly<Record<DomainChangeEvent["type"], DomainChangeEvent>>;
