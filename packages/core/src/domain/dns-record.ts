import { parsed, unparsable, type Parsed } from "../kernel/result.ts";
import { parseDnsRecordType, type DnsRecordType } from "./dns-record-type.ts";
import { canonicalDnsValue, nullMx, parseDnsValue } from "./dns-value.ts";
import { domainNameLimits } from "./domain-name.ts";

/** Limits of a record (specification §2.2 and §8; RFC 1035 §2.3.4 for the label). */
export const dnsRecordLimits = {
  nameLength: 255,
  valueLength: 1_000,
  label: 63,
  ttlSeconds: { minimum: 60, maximum: 86_400 },
  priority: { minimum: 0, maximum: 65_535 },
} as const;

/** Maximum records of a set, which must fit an answer of 65,535 octets (RFC 1035 §4.2.2). */
export const recordSetLimit = 100;

/** Maximum octets of a set's records; the answer also needs a header and a signature (RFC 1035 §4.1, RFC 4034 §3). */
export const recordSetOctetsLimit = 64_000;

/** The apex of a zone in relative notation. */
export const apex = "@";

export interface DnsRecordFields {
  readonly type: string;
  readonly name: string;
  readonly value: string;
  /** Seconds; absent for 3,600. */
  readonly ttl?: number | undefined;
  readonly priority?: number | undefined;
}

export interface DnsRecordContent {
  readonly type: DnsRecordType;
  /** Relative to the zone, in lower case; `@` is the apex. */
  readonly name: string;
  /** The customer's spelling. */
  readonly value: string;
  readonly ttlSeconds: number;
  /** Priority of MX and SRV; null for other types. */
  readonly priority: number | null;
}

/** The parsed fields of a record, each with its value or its error. */
export interface ParsedDnsRecord {
  readonly type: Parsed<DnsRecordType>;
  readonly name: Parsed<string>;
  readonly value: Parsed<string>;
  readonly ttl: Parsed<number>;
  readonly priority: Parsed<number | null>;
}

// Names of services and of DKIM, DMARC and ACME records begin with underscores (RFC 8552); host names contain none.
const labelPattern = /^[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?$/;

/**
 * Reads each field of a record (contract, "DNS rules").
 *
 * MX and SRV require a priority. For other types a priority must be in range and is then dropped. The specification allows
 * the field in every record, but uses it only for these two types.
 *
 * @param zone the domain's name, to which the record's name is relative.
 */
export function parseDnsRecord(fields: DnsRecordFields, zone: string): ParsedDnsRecord {
  const type = parseDnsRecordType(fields.type);
  const name = parseRecordName(fields.name, zone);
  const isNullMx = type.ok && type.value === "MX" && fields.value === nullMx;
  return {
    type,
    name,
    value: type.ok ? parseValue(type.value, fields.value, name, zone) : parsed(fields.value),
    ttl: parseTtl(fields.ttl ?? defaultTtlSeconds),
    priority:
      isNullMx && fields.priority !== undefined && fields.priority !== 0
        ? unparsable("must be 0 for an MX with the value . (RFC 7505)")
        : parsePriority(type.ok ? type.value : undefined, fields.priority),
  };
}

function parseValue(type: DnsRecordType, text: string, name: Parsed<string>, zone: string): Parsed<string> {
  const value = parseDnsValue(type, text);
  if (type !== "CNAME" || !value.ok || !name.ok) return value;
  const own = name.value === apex ? zone : `${name.value}.${zone}`;
  return canonicalDnsValue(type, value.value) === own.toLowerCase()
    ? unparsable(`must not be ${own}, the record's own name`)
    : value;
}

export interface RecordSetFields extends Pick<DnsRecordFields, "type" | "name" | "ttl"> {
  /** An empty list deletes the set. */
  readonly records: readonly Pick<DnsRecordFields, "value" | "priority">[];
}

/** The parsed fields of a record set, each with its value or its error. */
export interface ParsedRecordSet extends Pick<ParsedDnsRecord, "type" | "name" | "ttl"> {
  readonly records: Parsed<readonly Pick<DnsRecordContent, "value" | "priority">[]>;
}

/** Reads a record set; an error names the position of the first invalid record. */
export function parseRecordSet({ records, ...set }: RecordSetFields, zone: string): ParsedRecordSet {
  const { type, name, ttl } = parseDnsRecord({ ...set, value: "" }, zone);
  return { type, name, ttl, records: parseMembers(records, set, zone) };
}

function parseMembers(
  members: RecordSetFields["records"],
  set: Omit<RecordSetFields, "records">,
  zone: string,
): ParsedRecordSet["records"] {
  if (members.length > recordSetLimit) return unparsable(`must be at most ${String(recordSetLimit)} records`);
  const read: Pick<DnsRecordContent, "value" | "priority">[] = [];
  for (const [index, member] of members.entries()) {
    const { value, priority } = parseDnsRecord({ ...set, ...member }, zone);
    const place = String(index + 1);
    if (!value.ok) return unparsable(`must be right: the value of record ${place} ${value.error}`);
    if (!priority.ok) return unparsable(`must be right: the priority of record ${place} ${priority.error}`);
    read.push({ value: value.value, priority: priority.value });
  }
  return parsed(read);
}

/** Reads a name relative to its zone in lower case: `@`, or labels, the leftmost possibly `*` (RFC 4592 §2.1.1). */
export function parseRecordName(text: string, zone: string): Parsed<string> {
  const { nameLength, label: labelLength } = dnsRecordLimits;
  if (text.length > nameLength) return unparsable(`must be at most ${String(nameLength)} characters long`);
  if (text === apex) return parsed(text);
  // Check before lower-casing, because that turns the Kelvin sign (U+212A) into a plain "k".
  if (!/^[a-zA-Z0-9_.*-]+$/.test(text))
    return unparsable(
      "must be @ or labels of letters, digits, hyphens and underscores, relative to the domain",
    );
  const written = text.toLowerCase();
  const name = withoutZone(written, zone);
  if (name === apex) return parsed(name);
  if (name.endsWith(".") && name.length > 1)
    return unparsable(
      `must end with ${zone} where it ends with a dot, or be relative to the domain: drop the dot`,
    );
  const labels = name.split(".");
  const plain = labels[0] === "*" ? labels.slice(1) : labels;
  if (plain.some((label) => label.includes("*")))
    return unparsable("may hold * only as the whole leftmost label");
  if (plain.some((label) => !labelPattern.test(label)))
    return unparsable("must hold no empty label, and none that begins or ends with a hyphen");
  if (plain.some((label) => label.length > labelLength))
    return unparsable(`must have labels of at most ${String(labelLength)} characters`);
  if (name.length + 1 + zone.length > domainNameLimits.maximumLength)
    return unparsable(
      `must be at most ${String(domainNameLimits.maximumLength)} characters long with the domain`,
    );
  return parsed(name);
}

/** Makes a name that ends with the zone's name relative, with or without a final dot. */
function withoutZone(name: string, zone: string): string {
  const absolute = name.endsWith(".") ? name.slice(0, -1) : name;
  if (absolute === zone) return apex;
  return absolute.endsWith(`.${zone}`) ? absolute.slice(0, -zone.length - 1) : name;
}

function parseTtl(seconds: number): Parsed<number> {
  const { minimum, maximum } = dnsRecordLimits.ttlSeconds;
  return Number.isInteger(seconds) && seconds >= minimum && seconds <= maximum
    ? parsed(seconds)
    : unparsable(`must be a whole number of seconds from ${String(minimum)} to ${String(maximum)}`);
}

function parsePriority(type: DnsRecordType | undefined, priority: number | undefined): Parsed<number | null> {
  const { minimum, maximum } = dnsRecordLimits.priority;
  const isUsed = type === "MX" || type === "SRV";
  if (priority === undefined) return isUsed ? unparsable(`is required for ${type}`) : parsed(null);
  if (!Number.isInteger(priority) || priority < minimum || priority > maximum)
    return unparsable(`must be a whole number from ${String(minimum)} to ${String(maximum)}`);
  return parsed(isUsed ? priority : null);
}

export interface DefaultRecord {
  readonly type: "A";
  readonly name: "@" | "www";
  readonly value: string;
  readonly ttlSeconds: number;
}

/** Seconds (specification §2.2). */
export const defaultTtlSeconds = 3_600;

/** Returns the A records `@` and `www` of a new zone (specification §2.1). @param parkingAddress IPv4 address of both. */
export function defaultZoneRecords(parkingAddress: string): readonly DefaultRecord[] {
  return (["@", "www"] as const).map((name) => ({
    type: "A",
    name,
    value: parkingAddress,
    ttlSeconds: defaultTtlSeconds,
  }));
}
