import { assertNever } from "../kernel/assert-never.ts";
import { rejection, type Rejection } from "../kernel/rejection.ts";
import { apex, recordSetLimit, recordSetOctetsLimit } from "./dns-record.ts";
import { parseDnsRecordType } from "./dns-record-type.ts";
import { canonicalDnsValue, nullMx, octetsOnTheWire } from "./dns-value.ts";
import type { RecordedDnsRecord } from "./domain-changes.events.ts";
import type { DomainChange } from "./domain.events.ts";
import type { ZoneRecords } from "./domain.state.ts";

export type RecordChange = Extract<
  DomainChange,
  { kind: "add-record" | "update-record" | "delete-record" | "replace-set" }
>;

export const zoneRecordsLimit = 1_000;

/** The fields that distinguish records of a set. */
type RecordContent = Pick<RecordedDnsRecord, "type" | "value" | "priority">;

export type RecordSetName = Pick<RecordedDnsRecord, "type" | "name">;

/** All records of a type and name, which share a TTL (RFC 2181 §5). */
export interface RecordSet {
  readonly type: string;
  readonly name: string;
  readonly ttlSeconds: number;
  /** Empty if the set does not exist. */
  readonly records: readonly { readonly value: string; readonly priority: number | null }[];
}

/** Returns the rejection of a change of records; undefined if the change is allowed (contract, "DNS rules"). */
export function objectionToRecordChange(records: ZoneRecords, change: RecordChange): Rejection | undefined {
  return objectionToRecords(records, change) ?? objectionToSize(records, change);
}

function objectionToRecords(records: ZoneRecords, change: RecordChange): Rejection | undefined {
  switch (change.kind) {
    case "add-record":
      return objectionToRecord(records, change.record);
    case "update-record":
      if (!records.has(change.record.recordId)) return noSuchRecord();
      return objectionToRecord(records.delete(change.record.recordId), change.record);
    case "delete-record":
      return records.has(change.recordId) ? undefined : noSuchRecord();
    case "replace-set":
      return objectionToSet(records, change);
    default:
      return assertNever(change);
  }
}

/** A record before and after a change: `before` is undefined for an added record, `after` for a removed record. */
export interface RecordDifference {
  readonly before: RecordedDnsRecord | undefined;
  readonly after: RecordedDnsRecord | undefined;
}

/** Returns the records that a change alters: the named record first, then the others by id. Empty if nothing changes. */
export function differencesMadeBy(records: ZoneRecords, change: RecordChange): readonly RecordDifference[] {
  const after = recordsAfter(records, change);
  return idsTouchedBy(records, change)
    .filter((id) => !saysTheSame(records.get(id), after.get(id)))
    .map((id) => ({ before: records.get(id), after: after.get(id) }));
}

/** Returns the ids of records that a change may alter: the named record, then the others of its set by id. */
function idsTouchedBy(records: ZoneRecords, change: RecordChange): readonly number[] {
  if (change.kind === "delete-record") return [change.recordId];
  const [named, ofSet] =
    "record" in change
      ? [[change.record], membersOf(records, change.record)]
      : [[], [...membersOf(records, change), ...change.records]];
  return [...new Set([...named, ...sorted(ofSet)].map(({ recordId }) => recordId))];
}

/** Returns the records after a change; the changed record's TTL applies to its whole set (RFC 2181 §5.2). */
export function recordsAfter(records: ZoneRecords, change: RecordChange): ZoneRecords {
  if (change.kind === "delete-record") return records.delete(change.recordId);
  if (change.kind === "replace-set") return withRecords(outside(records, change), change.records);
  const { record } = change;
  const { ttlSeconds } = record;
  const others = membersOf(records, record).filter((other) => other.ttlSeconds !== ttlSeconds);
  return withRecords(records, [...others.map((other) => ({ ...other, ttlSeconds })), record]);
}

/** Returns the complete record sets after a change: the changed set, or two sets if a record moves. */
export function setsChangedBy(records: ZoneRecords, change: RecordChange): readonly RecordSet[] {
  const after = recordsAfter(records, change);
  const touched = differencesMadeBy(records, change).flatMap((made) => [made.before, made.after]);
  const sets = new Map<string, RecordSet>();
  for (const record of touched)
    if (record !== undefined) sets.set(`${record.type} ${record.name}`, setOf(after, record));
  return [...sets.values()];
}

/** Groups records into sets in the order of their first records. The first record's TTL applies to the set. */
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

function setOf(records: ZoneRecords, like: RecordedDnsRecord): RecordSet {
  const members = sorted(membersOf(records, like));
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
  const neighbours = others
    .valueSeq()
    .filter((other) => other.name === name)
    .toArray();
  if (type === "CNAME" && neighbours.length > 0)
    return broken("name", "must have no other records: a CNAME stands alone");
  if (neighbours.some((other) => other.type === "CNAME"))
    return broken("name", "must not be that of a CNAME, which stands alone");
  const set = neighbours.filter((other) => other.type === type);
  if (set.some((other) => isSameRecord(other, record)))
    return broken("value", "must not repeat another record");
  const isNullMx = (one: RecordContent): boolean => one.type === "MX" && one.value === nullMx;
  if (set.some((other) => isNullMx(other) !== isNullMx(record)))
    return broken("value", "must be the only MX record of the name where it is . (RFC 7505)");
  return set.length >= recordSetLimit
    ? broken("name", `must have at most ${String(recordSetLimit)} records of a type`)
    : undefined;
}

/** Octets of a record's type, class, TTL and data length, and of the pointer to its name (RFC 1035 §4.1.3 and §4.1.4). */
const octetsBesideData = 12;

/** Refuses a set that does not fit an answer. Deleting only makes a set smaller. */
function objectionToSize(records: ZoneRecords, change: RecordChange): Rejection | undefined {
  if (change.kind === "delete-record") return undefined;
  const written = "record" in change ? change.record : change;
  const octets = membersOf(recordsAfter(records, change), written).reduce(
    (sum, { type, value }) => sum + octetsBesideData + octetsOnTheWire(type, value),
    0,
  );
  return octets > recordSetOctetsLimit
    ? broken(
        "value",
        `must be shorter: the records of a set have at most ${String(recordSetOctetsLimit)} octets together`,
      )
    : undefined;
}

function objectionToSet(
  records: ZoneRecords,
  set: Extract<RecordChange, { kind: "replace-set" }>,
): Rejection | undefined {
  let others = outside(records, set);
  if (set.records.length === 0)
    return others.size < records.size ? undefined : rejection("not-found", "There is no such record set.");
  // The request read these records earlier; another change may have moved them since.
  if (set.records.some(({ recordId }) => others.has(recordId)))
    return rejection("change-in-flight", "Another change of the records came first.");
  for (const record of set.records) {
    const objection = objectionToRecord(others, record);
    if (objection !== undefined) return objection;
    others = others.set(record.recordId, record);
  }
  return undefined;
}

function membersOf(records: ZoneRecords, set: RecordSetName): readonly RecordedDnsRecord[] {
  return records
    .valueSeq()
    .filter((record) => isOfSet(record, set))
    .toArray();
}

function outside(records: ZoneRecords, set: RecordSetName): ZoneRecords {
  return records.deleteAll(membersOf(records, set).map(({ recordId }) => recordId));
}

function withRecords(records: ZoneRecords, added: readonly RecordedDnsRecord[]): ZoneRecords {
  return added.reduce((all, record) => all.set(record.recordId, record), records);
}

function saysTheSame(left: RecordedDnsRecord | undefined, right: RecordedDnsRecord | undefined): boolean {
  if (left === undefined || right === undefined) return left === right;
  return (
    isOfSet(left, right) &&
    left.value === right.value &&
    left.ttlSeconds === right.ttlSeconds &&
    left.priority === right.priority
  );
}

function isOfSet(left: RecordSetName, right: RecordSetName): boolean {
  return left.name === right.name && left.type === right.type;
}

/** Returns true if two records of a set have equal canonical values and priorities. */
export function isSameRecord(left: RecordContent, right: RecordContent): boolean {
  return left.priority === right.priority && canonicalOf(left) === canonicalOf(right);
}

function canonicalOf({ type, value }: RecordContent): string {
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
