import { z } from "zod";

import { defineEvents, event, shape, type DataOf } from "../kernel/event-definition.ts";
import { flag, hostname, hostnames, id, instant, line, text } from "../kernel/fields.ts";
import { recordSetLimit } from "./dns-record.ts";
import { dnsRecordTypes } from "./dns-record-type.ts";

const record = {
  recordId: id,
  type: z.enum(dnsRecordTypes),
  name: line(255),
  value: line(1_000),
  ttlSeconds: z.int().min(60).max(86_400),
  priority: z.int().min(0).max(65_535).nullable(),
};
export const dnsRecord = z.strictObject(record);

export type RecordedDnsRecord = DataOf<typeof record>;

const changesOfV1 = [
  z.strictObject({ kind: z.literal("nameservers"), usesServiceNameservers: flag, nameservers: hostnames }),
  z.strictObject({ kind: z.literal("add-record"), record: dnsRecord }),
  z.strictObject({ kind: z.literal("update-record"), record: dnsRecord }),
  z.strictObject({ kind: z.literal("delete-record"), recordId: id }),
  z.strictObject({
    kind: z.literal("settings"),
    whoisPrivacy: flag.nullable(),
    transferLock: flag.nullable(),
  }),
] as const;

const change = z.discriminatedUnion("kind", [
  ...changesOfV1,
  z.strictObject({
    kind: z.literal("replace-set"),
    type: z.enum(dnsRecordTypes),
    name: line(255),
    /** The complete new set; an empty list deletes it. */
    records: z.array(dnsRecord).max(recordSetLimit),
  }),
]);

const changed = {
  domainId: id,
  /** Id of the change; repeats have the same id. */
  changeId: text,
};

const failed = {
  ...changed,
  code: z.enum(["registrar-refused", "registrar-unavailable", "dns-unavailable"]),
  reason: text,
  failedAt: instant,
};

/** Events of changes of a domain; `NameserversChanged` and `ZoneCreated` belong to them too. */
export const domainChangeEvents = defineEvents({
  DomainChangeStarted: event(
    "The service accepted a change and will now ask the registrar or the DNS server to carry it out.",
    { ...changed, change, startedAt: instant },
    {
      was: [
        shape({ ...changed, change: z.discriminatedUnion("kind", changesOfV1), startedAt: instant }),
        (data) => data,
      ],
    },
  ),
  DomainChangeCompleted: event(
    // A separate event, because `NameserversChanged` is older than changes and does not name a change.
    "The change was carried out. The events before this one record its results.",
    { ...changed, completedAt: instant },
  ),
  DomainChangeFailed: event(
    "The registrar or the DNS server did not carry out the change. Everything without an event of its own is unchanged.",
    {
      ...failed,
      /** Account and name of the domain; null if an older version stored the event. */
      accountId: id.nullable(),
      name: hostname.nullable(),
      /** `party` if the provider refused the change; `staff` if staff ended it without the provider's answer. */
      by: z.enum(["party", "staff"]),
    },
    {
      was: [shape(failed), (data) => ({ ...data, accountId: null, name: null, by: "party" as const })],
    },
  ),
  DnsRecordAdded: event("A record was added to the managed zone.", {
    ...changed,
    record: dnsRecord,
    addedAt: instant,
  }),
  DnsRecordUpdated: event(
    "A record of the managed zone was changed. All records of its set have one TTL (RFC 2181 §5.2).",
    { ...changed, record: dnsRecord, updatedAt: instant },
  ),
  DnsRecordDeleted: event("A record was deleted from the managed zone.", {
    ...changed,
    recordId: id,
    deletedAt: instant,
  }),
  AutoRenewalChanged: event("The automatic renewal of the domain was turned on or off.", {
    ...changed,
    autoRenew: flag,
    changedAt: instant,
  }),
  WhoisPrivacyChanged: event("The registrar turned WHOIS privacy on or off.", {
    domainId: id,
    whoisPrivacy: flag,
    changedAt: instant,
  }),
  TransferLockChanged: event("The registrar set or lifted the transfer lock.", {
    domainId: id,
    transferLock: flag,
    changedAt: instant,
  }),
});
