import { parsed, unparsable, type Parsed } from "../kernel/result.ts";

/** Record types that customers may use (specification §2.2). */
export const dnsRecordTypes = ["A", "AAAA", "CNAME", "MX", "TXT", "NS", "SRV", "CAA"] as const;

export type DnsRecordType = (typeof dnsRecordTypes)[number];

export function parseDnsRecordType(text: string): Parsed<DnsRecordType> {
  const type = dnsRecordTypes.find((known) => known === text.toUpperCase());
  return type === undefined ? unparsable(`must be one of ${dnsRecordTypes.join(", ")}`) : parsed(type);
}
