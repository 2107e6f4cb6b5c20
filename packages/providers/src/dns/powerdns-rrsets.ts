import { canonicalIpv6, txtStrings } from "@hostledger/core";
import { z } from "zod";

import type { ZoneRecord, ZoneRecordSet } from "./dns.port.ts";

/** A record set in PowerDNS's format: absolute name, priority within the content. */
export const powerdnsRrset = z.object({
  name: z.string(),
  type: z.string(),
  ttl: z.int(),
  records: z.array(z.object({ content: z.string(), disabled: z.boolean().optional() })),
});

export type PowerdnsRrset = z.output<typeof powerdnsRrset>;

/** Record types of our zones' apex that come from the configuration and are hidden from customers. */
const ownTypes = new Set(["SOA", "NS"]);

/** Types whose values are host names, which are absolute with or without a final dot. */
const hostTypes = new Set(["CNAME", "MX", "NS"]);

const priorityTypes = new Set(["MX", "SRV"]);

/** Returns the name with a final dot. */
export function absolute(name: string): string {
  return name.endsWith(".") ? name : `${name}.`;
}

export function rrsetOf(zone: string, { type, name, ttlSeconds, records }: ZoneRecordSet): PowerdnsRrset {
  return {
    name: absolute(name === "@" ? zone : `${name}.${zone}`),
    type,
    ttl: ttlSeconds,
    records: records.map((record) => ({ content: contentOf(type, record), disabled: false })),
  };
}

/** Groups records into sets; each set has its first record's TTL (RFC 2181 §5.2). */
export function rrsetsOf(zone: string, records: readonly ZoneRecord[]): PowerdnsRrset[] {
  const sets = Map.groupBy(records, ({ type, name }) => `${type} ${name}`);
  return [...sets.values()].flatMap((members) => {
    const [first] = members;
    return first === undefined ? [] : [rrsetOf(zone, { ...first, records: members })];
  });
}

export function recordsOf(zone: string, rrsets: readonly PowerdnsRrset[]): ZoneRecord[] {
  const apex = absolute(zone).toLowerCase();
  return rrsets.flatMap(({ name: written, type, ttl: ttlSeconds, records }) => {
    const full = written.toLowerCase();
    if (full === apex && ownTypes.has(type)) return [];
    const name = full === apex ? "@" : full.slice(0, -apex.length - 1);
    return records
      .filter(({ disabled }) => disabled !== true)
      .map(({ content }) => ({ type, name, ttlSeconds, ...valueOf(type, content) }));
  });
}

function contentOf(type: string, { value, priority }: Pick<ZoneRecord, "value" | "priority">): string {
  const before = priority === undefined ? "" : `${String(priority)} `;
  return before + wireValue(type, value);
}

function wireValue(type: string, value: string): string {
  if (type === "TXT") return quotedText(value);
  if (type === "CAA") {
    const [, start = "", inQuotes, bare = ""] = /^(\S+ \S+) (?:"([^"]*)"|(.*))$/s.exec(value) ?? [];
    return `${start} ${quoted(new TextEncoder().encode(inQuotes ?? bare))}`;
  }
  // PowerDNS does not accept IPv6 addresses ending in an IPv4 address.
  if (type === "AAAA") return canonicalIpv6(value) ?? value;
  return hostTypes.has(type) || type === "SRV" ? absolute(value) : value;
}

function valueOf(type: string, content: string): Pick<ZoneRecord, "value" | "priority"> {
  if (!priorityTypes.has(type)) return { value: readValue(type, content) };
  const [, priority = "0", rest = ""] = /^(\d+)\s+(.*)$/s.exec(content) ?? [];
  return { priority: Number(priority), value: readValue(type, rest) };
}

function readValue(type: string, content: string): string {
  if (type === "TXT") return unquotedText(content);
  if (type === "CAA") {
    const [, start = "", property = ""] = /^(\S+ \S+) (.*)$/s.exec(content) ?? [];
    return `${start} "${unquotedText(property)}"`;
  }
  if (!hostTypes.has(type) && type !== "SRV") return content;
  return content === "." || content.endsWith(" .") ? content : content.replace(/\.$/, "");
}

/** Formats a character string for zone files (RFC 1035 §5.1), with unprintable octets as decimal numbers. */
function quoted(octets: Uint8Array): string {
  let text = "";
  for (const octet of octets) {
    const character = String.fromCharCode(octet);
    if (character === '"' || character === "\\") text += `\\${character}`;
    else text += octet >= 0x20 && octet < 0x7f ? character : `\\${String(octet).padStart(3, "0")}`;
  }
  return `"${text}"`;
}

/** Formats a TXT record's text in strings of at most 255 octets. */
function quotedText(text: string): string {
  return txtStrings(text).map(quoted).join(" ");
}

/** Parses a record's character strings and joins them, like readers of TXT (RFC 7208 §3.3). */
function unquotedText(content: string): string {
  const octets: number[] = [];
  for (const [, inQuotes, bare] of content.matchAll(/"((?:[^"\\]|\\.)*)"|([^\s"]+)/gs)) {
    // An escape is one octet, by number or literally; anything else is text.
    for (const [, number, escaped, plain] of (inQuotes ?? bare ?? "").matchAll(
      /\\(\d{3})|\\(.)|([^\\]+)/gsu,
    )) {
      if (number === undefined) octets.push(...new TextEncoder().encode(escaped ?? plain ?? ""));
      else octets.push(Number(number) & 0xff);
    }
  }
  return new TextDecoder().decode(Uint8Array.from(octets));
}
