import { assertNever } from "../kernel/assert-never.ts";
import { rejection, type Rejection } from "../kernel/rejection.ts";
import { apex } from "./dns-record.ts";
import { parseDnsRecordType } from "./dns-record-type.ts";
import { canonicalDnsValue } from "./dns-value.ts";
import type { RecordedDnsRecord } from "./domain-changes.events.ts";
import type { DomainChange } from "./domain.events.ts";
import type { ZoneRecords } from "./domain.state.ts";

/** A change of a zone's records. */
export type RecordChange = Extract<DomainChange, { kind: "add-record" | "update-record" | "delete-record" }>;

/** Records of a zone at most. */
export const zoneRecordsLimit = 1_000;

/**
 * Records of one set at most: a set is answered whole, in a message of at most 65,535 octets (RFC 1035 §4.2.2). It also
 * bounds how many facts one change of a TTL adds.
 */
export const recordSetLimit = 100;

/** All records of one type and name, which share a TTL (RFC 2181 §5). */
export interface RecordSet {
  readonly type: string;
  readonly name: string;
  readonly ttlSeconds: number;
  /** Empty: there is no such set. */
  readonly records: readonly { readonly value: string; readonly priority: number | null }[];
}

/** Why a change of the records cannot be made; undefined when it can (contract, "DNS rules"). */
export function objectionToRecordChange(records: ZoneRecords, change: RecordChange): Rejection | undefined {
  switch (change.kind) {
    case "add-record":
      return objectionToRecord(records, change.record);
    case "update-record":
      if (!records.has(change.record.recordId)) return noSuchRecord();
      return objectionToRecord(records.delete(change.record.recordId), change.record);
    case "delete-record":
      return records.has(change.recordId) ? undefined : noSuchRecord();
    default:
      return assertNever(change);
  }
}

/** True when the change says what is so already. */
export function saysNothingNew(records: ZoneRecords, change: RecordChange): boolean {
  if (change.kind !== "update-record") return false;
  const { record } = change;
  const present = records.get(record.recordId);
  return (
    present !== undefined &&
    isOfSet(present, record) &&
    present.value === record.value &&
    present.ttlSeconds === record.ttlSeconds &&
    present.priority === record.priority
  );
}

/** The records after a change; the changed record's TTL is its whole set's (RFC 2181 §5.2). */
export function recordsAfter(records: ZoneRecords, change: RecordChange): ZoneRecords {
  if (change.kind === "delete-record") return records.delete(change.recordId);
  const { record } = change;
  const { ttlSeconds } = record;
  return records
    .map((other) =>
      other.ttlSeconds !== ttlSeconds && isOfSet(other, record) ? { ...other, ttlSeconds } : other,
    )
    .set(record.recordId, record);
}

/** The other records that a change touches, with what they say after it; by id. */
export function siblingsChangedBy(records: ZoneRecords, change: RecordChange): readonly RecordedDnsRecord[] {
  const after = recordsAfter(records, change);
  return sorted([...after.values()].filter((record) => isSibling(records, record, change)));
}

/** The record sets that a change touches, whole, as they are after it: one, or two where a record moves. */
export function setsChangedBy(records: ZoneRecords, change: RecordChange): readonly RecordSet[] {
  const after = recordsAfter(records, change);
  const before = records.get(change.kind === "delete-record" ? change.recordId : change.record.recordId);
  const now = change.kind === "delete-record" ? undefined : change.record;
  const touched = before !== undefined && now !== undefined && isOfSet(before, now) ? [now] : [before, now];
  return touched.filter((record) => record !== undefined).map((record) => setOf(after, record));
}

/** The record sets that records make up, in the order of their first records. A set's TTL is its first record's. */
export function recordSetsOf(
  records: readonly (Omit<RecordedDnsRecord, "recordId" | "type"> & { readonly type: string })[],
): readonly RecordSet[] {
  const sets = new Map<string, RecordSet>();
  for (const { type, name, ttlSeconds, value, priority } of records) {
    const key = `${type} ${name}`;
    const set = sets.get(key) ?? { type, name, ttlSeconds, records: [] };
    sets.set(key, { ...set, records: [...set.records, { value, priority }] });
  }
  return [...sets.values()];
}

/** The set to which a record belongs. */
function setOf(records: ZoneRecords, like: RecordedDnsRecord): RecordSet {
  const members = sorted([...records.values()].filter((record) => isOfSet(record, like)));
  const { type, name } = like;
  const ttlSeconds = members[0]?.ttlSeconds ?? like.ttlSeconds;
  return { type, name, ttlSeconds, records: members.map(({ value, priority }) => ({ value, priority })) };
}

function objectionToRecord(others: ZoneRecords, record: RecordedDnsRecord): Rejection | undefined {
  const { type, name } = record;
  if (type === "NS" && name === apex) return rejection("protected-record");
  if (type === "CNAME" && name === apex)
    return broken("name", "must not be @: the apex holds records of other types");
  if (others.size >= zoneRecordsLimit)
    return broken("name", `must wait: the zone holds ${String(zoneRecordsLimit)} records, and no more fit`);
  const neighbours = [...others.values()].filter((other) => other.name === name);
  if (type === "CNAME" && neighbours.length > 0)
    return broken("name", "must have no other records: a CNAME stands alone");
  if (neighbours.some((other) => other.type === "CNAME"))
    return broken("name", "must not be that of a CNAME, which stands alone");
  const set = neighbours.filter((other) => other.type === type);
  if (set.some((other) => isSame(other, record))) return broken("value", "must not repeat another record");
  return set.length >= recordSetLimit
    ? broken("name", `must have at most ${String(recordSetLimit)} records of a type`)
    : undefined;
}

function isSibling(records: ZoneRecords, record: RecordedDnsRecord, change: RecordChange): boolean {
  if (change.kind !== "delete-record" && change.record.recordId === record.recordId) return false;
  return records.get(record.recordId) !== record;
}

function isOfSet(left: RecordedDnsRecord, right: RecordedDnsRecord): boolean {
  return left.type === right.type && left.name === right.name;
}

/** Two records of one set are the same where they say the same, whatever way it is written. */
function isSame(left: RecordedDnsRecord, right: RecordedDnsRecord): boolean {
  return left.priority === right.priority && canonicalOf(left) === canonicalOf(right);
}

function canonicalOf({ type, value }: RecordedDnsRecord): string {
  const known = parseDnsRecordType(type);
  return known.ok ? canonicalDnsValue(known.value, value) : value;
}

function sorted(records: readonly RecordedDnsRecord[]): readonly RecordedDnsRecord[] {
  return records.toSorted((left, right) => left.recordId - right.recordId);
}

function broken(field: string, message: string): Rejection {
  return rejection("validation-failed", `${field} ${message}.`, { fieldErrors: { [field]: [message] } });
}

function noSuchRecord(): Rejection {
  return rejection("not-found", "There is no such DNS record.");
}
