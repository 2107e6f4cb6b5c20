import { canonicalIpv6 } from "@hostledger/core";
import { z } from "zod";

import type { ZoneRecord, ZoneRecordSet } from "./dns.port.ts";
import { quoted, quotedText, unquotedText } from "./presentation.ts";

/** A record set as PowerDNS writes it: its name absolute, a priority as part of the content. */
export const powerdnsRrset = z.object({
  name: z.string(),
  type: z.string(),
  ttl: z.int(),
  records: z.array(z.object({ content: z.string(), disabled: z.boolean().optional() })),
});

/** A record set as PowerDNS writes it. */
export type PowerdnsRrset = z.output<typeof powerdnsRrset>;

/** What our own zones hold beside the customer's records, by configuration: nobody asks for it, and nobody is shown it. */
const ownTypes = new Set(["SOA", "NS"]);

/** Types whose values are host names, which are absolute whether or not a dot ends them. */
const hostTypes = new Set(["CNAME", "MX", "NS"]);

/** Types that have a priority. */
const priorityTypes = new Set(["MX", "SRV"]);

/** An absolute name, with the dot at its end. */
export function absolute(name: string): string {
  return name.endsWith(".") ? name : `${name}.`;
}

/** A record set of a zone in PowerDNS's words. */
export function rrsetOf(zone: string, { type, name, ttlSeconds, records }: ZoneRecordSet): PowerdnsRrset {
  return {
    name: absolute(name === "@" ? zone : `${name}.${zone}`),
    type,
    ttl: ttlSeconds,
    records: records.map((record) => ({ content: contentOf(type, record), disabled: false })),
  };
}

/** The record sets of records; of one set all have the TTL of the first (RFC 2181 §5.2). */
export function rrsetsOf(zone: string, records: readonly ZoneRecord[]): PowerdnsRrset[] {
  const sets = Map.groupBy(records, ({ type, name }) => `${type} ${name}`);
  return [...sets.values()].flatMap((members) => {
    const [first] = members;
    return first === undefined ? [] : [rrsetOf(zone, { ...first, records: members })];
  });
}

/** The records that a customer knows, of what PowerDNS holds of a zone. */
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
  // PowerDNS does not read an IPv4 address at the end of an IPv6 address.
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
