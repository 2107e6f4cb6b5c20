import { assertNever } from "../kernel/assert-never.ts";
import { parsed, unparsable, type Parsed } from "../kernel/result.ts";
import { hasAtMost } from "../kernel/values.ts";
import type { DnsRecordType } from "./dns-record-type.ts";
import { canonicalIpv6, isIpv4 } from "../kernel/ip-address.ts";

/** Characters of a value (specification §2.2). */
const valueLength = 1_000;
const longestName = 253;

/** The value of an MX record whose name takes no mail (RFC 7505). */
export const nullMx = ".";

const hostLabel = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/i;
const aliasLabel = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/i;

/** Reads a record's value by the rule of its type (contract, "DNS rules"); it is kept as it was written. */
export function parseDnsValue(type: DnsRecordType, text: string): Parsed<string> {
  if (!hasAtMost(text, valueLength))
    return unparsable(`must be at most ${String(valueLength)} characters long`);
  if (text === "") return unparsable("is required");
  const reason = objectionTo(type, text);
  return reason === undefined ? parsed(text) : unparsable(reason);
}

/**
 * What a value says, whatever way it is written: two records whose canonical values are equal are the same record
 * (RFC 5952 for IPv6; names compare without case and without the dot at their end, RFC 1034 §3.1).
 *
 * @param value one that `parseDnsValue` has taken.
 */
export function canonicalDnsValue(type: DnsRecordType, value: string): string {
  switch (type) {
    case "A":
    case "TXT":
      return value;
    case "AAAA":
      return canonicalIpv6(value) ?? value;
    case "CNAME":
    case "MX":
    case "NS":
    case "SRV":
      return withoutDot(value.toLowerCase());
    case "CAA": {
      const { flags, tag, property } = partsOfCaa(value);
      return `${flags} ${tag.toLowerCase()} ${property ?? ""}`;
    }
    default:
      return assertNever(type);
  }
}

function objectionTo(type: DnsRecordType, text: string): string | undefined {
  switch (type) {
    case "A":
      return isIpv4(text) ? undefined : "must be an IPv4 address, for example 192.0.2.1";
    case "AAAA":
      return canonicalIpv6(text) === undefined
        ? "must be an IPv6 address, for example 2001:db8::1"
        : undefined;
    case "CNAME":
      return isName(text, aliasLabel) ? undefined : "must be a host name, for example www.example.com";
    case "MX":
      // The null MX (RFC 7505): the name takes no mail.
      return text === nullMx || isName(text, hostLabel)
        ? undefined
        : "must be a host name, for example mail.example.com, or . where the name takes no mail";
    case "NS":
      return isName(text, hostLabel) ? undefined : "must be a host name, for example ns1.example.net";
    case "TXT":
      return objectionToText(text);
    case "SRV":
      return objectionToService(text);
    case "CAA":
      return objectionToAuthority(text);
    default:
      return assertNever(type);
  }
}

/** A text goes on the wire as UTF-8, which half a surrogate pair has none of; other control characters are mistakes. */
function objectionToText(text: string): string | undefined {
  if (!text.isWellFormed()) return "must be well-formed text";
  return /[^\t\P{Cc}]/u.test(text) ? "must not hold control characters" : undefined;
}

/** `weight port target` (RFC 2782); the target `.` says that there is no such service. */
function objectionToService(text: string): string | undefined {
  const [weight, port, target, ...others] = text.split(" ");
  const isRight =
    others.length === 0 &&
    isNumber(weight, 65_535) &&
    isNumber(port, 65_535) &&
    (target === "." || isName(target ?? "", hostLabel));
  return isRight ? undefined : 'must be "weight port target", for example 5 443 www.example.com';
}

/** `flags tag value` (RFC 8659 §4.1); the value may stand in quotation marks. */
function objectionToAuthority(text: string): string | undefined {
  const { flags, tag, property } = partsOfCaa(text);
  if (!isNumber(flags, 255) || property === undefined)
    return 'must be "flags tag value", for example 0 issue letsencrypt.org';
  if (!/^[\x20-\x7e]*$/.test(property)) return "must hold plain ASCII text";
  switch (tag.toLowerCase()) {
    case "issue":
    case "issuewild":
      return isIssuer(property)
        ? undefined
        : "must name a certificate authority by its domain, or ; for none";
    case "iodef":
      return /^(?:mailto:[^\s@]+@[^\s@]+|https?:\/\/\S+)$/i.test(property)
        ? undefined
        : "must name a mailto:, http: or https: address for reports";
    default:
      return "must have the tag issue, issuewild or iodef";
  }
}

function partsOfCaa(text: string): { flags: string; tag: string; property: string | undefined } {
  const match = /^(\d+) ([a-z]+) (?:"([^"]*)"|([^\s"][^"]*))$/i.exec(text);
  return { flags: match?.[1] ?? "", tag: match?.[2] ?? "", property: match?.[3] ?? match?.[4] };
}

/** An issuer's domain with parameters after a semicolon, each of them optional (RFC 8659 §4.2). */
function isIssuer(property: string): boolean {
  const [issuer = "", ...parameters] = property.split(";").map((part) => part.trim());
  if (issuer !== "" && !isName(issuer, hostLabel)) return false;
  return parameters.every(
    (parameter) => parameter === "" || /^[a-z0-9-]+\s*=\s*[\x21-\x3a\x3c-\x7e]*$/i.test(parameter),
  );
}

/** A name of at least two labels, absolute whether or not a dot ends it; never an address. */
function isName(text: string, label: RegExp): boolean {
  const name = withoutDot(text);
  const labels = name.split(".");
  return (
    name.length <= longestName &&
    labels.length >= 2 &&
    labels.every((each) => label.test(each)) &&
    !/^\d+$/.test(labels.at(-1) ?? "")
  );
}

function withoutDot(name: string): string {
  return name.length > 1 && name.endsWith(".") && !name.endsWith(" .") ? name.slice(0, -1) : name;
}

function isNumber(text: string | undefined, maximum: number): boolean {
  return text !== undefined && /^(?:0|[1-9]\d{0,4})$/.test(text) && Number(text) <= maximum;
}

/** Octets of one character string (RFC 1035 §3.3). */
const longestStringOctets = 255;

/**
 * A TXT record's text as the character strings of its wire form: UTF-8, cut into pieces of at most 255 octets. Readers
 * join the pieces (RFC 7208 §3.3), so that they are cut where they are full, but never inside a character: some readers
 * show each piece by itself.
 *
 * @param text well-formed; an empty one is one empty string.
 */
export function txtStrings(text: string): readonly Uint8Array[] {
  const octets = new TextEncoder().encode(text);
  const strings: Uint8Array[] = [];
  let start = 0;
  do {
    let end = Math.min(start + longestStringOctets, octets.length);
    while (end < octets.length && isInsideCharacter(octets[end])) end -= 1;
    strings.push(octets.subarray(start, end));
    start = end;
  } while (start < octets.length);
  return strings;
}

/** Numbers before a name or a property, the lengths of labels, an IPv6 address that is written in two characters. */
const mostOctetsBesideText = 16;

/** Octets of a value on the wire (RDATA, RFC 1035 §3.2.1): of a TXT record exactly, of other types no more than these. */
export function octetsOnTheWire(type: string, value: string): number {
  if (type !== "TXT") return value.length + mostOctetsBesideText;
  return txtStrings(value).reduce((octets, string) => octets + 1 + string.length, 0);
}

/** UTF-8 marks every octet of a character but its first with the bits 10. */
function isInsideCharacter(octet: number | undefined): boolean {
  return octet !== undefined && (octet & 0b1100_0000) === 0b1000_0000;
}
