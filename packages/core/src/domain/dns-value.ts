import { assertNever } from "../kernel/assert-never.ts";
import { parsed, unparsable, type Parsed } from "../kernel/result.ts";
import { hasAtMost } from "../kernel/values.ts";
import type { DnsRecordType } from "./dns-record-type.ts";
import { canonicalIpv6, isIpv4 } from "../kernel/ip-address.ts";

/** Maximum characters of a value (specification §2.2). */
const valueLength = 1_000;
const longestName = 253;

/** The value of an MX record for a name that accepts no mail (RFC 7505). */
export const nullMx = ".";

const hostLabel = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/i;
const aliasLabel = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/i;

/** Reads a record's value by the rules of its type (contract, "DNS rules"). Drops the final dot of a host name. */
export function parseDnsValue(type: DnsRecordType, text: string): Parsed<string> {
  if (!hasAtMost(text, valueLength))
    return unparsable(`must be at most ${String(valueLength)} characters long`);
  if (text === "") return unparsable("is required");
  const reason = objectionTo(type, text);
  return reason === undefined ? parsed(withoutFinalDot(type, text)) : unparsable(reason);
}

function withoutFinalDot(type: DnsRecordType, value: string): string {
  switch (type) {
    case "CNAME":
    case "MX":
    case "NS":
    case "SRV":
      return withoutDot(value);
    case "CAA":
      // That of the authority's domain, before its parameters or the quotation mark.
      return value.replace(/^(\d+ issue(?:wild)? "?[^;"]*?)\.(?=\s*(?:;|"?$))/i, "$1");
    default:
      return value;
  }
}

/**
 * Returns the canonical form of a value; records with equal canonical values are the same record (RFC 5952 for IPv6). Names
 * compare without case and without a final dot (RFC 1034 §3.1).
 *
 * @param value accepted by `parseDnsValue`.
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

/** Refuses lone surrogates, which UTF-8 cannot encode, and control characters other than tabs. */
function objectionToText(text: string): string | undefined {
  if (!text.isWellFormed()) return "must be well-formed text";
  return /[^\t\P{Cc}]/u.test(text) ? "must not hold control characters" : undefined;
}

/** Checks `weight port target` (RFC 2782); the target `.` means that the service is not available. */
function objectionToService(text: string): string | undefined {
  const [weight, port, target, ...others] = text.split(" ");
  const isRight =
    others.length === 0 &&
    isNumber(weight, 65_535) &&
    isNumber(port, 65_535) &&
    (target === "." || isName(target ?? "", hostLabel));
  return isRight ? undefined : 'must be "weight port target", for example 5 443 www.example.com';
}

/** Checks `flags tag value` (RFC 8659 §4.1); the value may be quoted. */
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

/** Returns true for an issuer's domain, optionally with parameters after semicolons (RFC 8659 §4.2). */
function isIssuer(property: string): boolean {
  const [issuer = "", ...parameters] = property.split(";").map((part) => part.trim());
  if (issuer !== "" && !isName(issuer, hostLabel)) return false;
  return parameters.every(
    (parameter) => parameter === "" || /^[a-z0-9-]+\s*=\s*[\x21-\x3a\x3c-\x7e]*$/i.test(parameter),
  );
}

/** Returns true for an absolute name of at least two labels, with or without a final dot; addresses return false. */
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

/** Maximum octets of a character string (RFC 1035 §3.3). */
const longestStringOctets = 255;

/**
 * Splits a TXT record's text into the character strings of its wire form: UTF-8 pieces of at most 255 octets. Readers join
 * the pieces (RFC 7208 §3.3). A piece never ends inside a character, because some readers show each piece separately.
 *
 * @param text well-formed; an empty text becomes one empty string.
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

/** Allowance for numbers before a name or property, label lengths, and an IPv6 address written in two characters. */
const mostOctetsBesideText = 16;

/** Returns the octets of a value's RDATA (RFC 1035 §3.2.1): exact for TXT, an upper bound for other types. */
export function octetsOnTheWire(type: string, value: string): number {
  if (type !== "TXT") return value.length + mostOctetsBesideText;
  return txtStrings(value).reduce((octets, string) => octets + 1 + string.length, 0);
}

/** In UTF-8, every octet of a character except the first begins with the bits 10. */
function isInsideCharacter(octet: number | undefined): boolean {
  return octet !== undefined && (octet & 0b1100_0000) === 0b1000_0000;
}
