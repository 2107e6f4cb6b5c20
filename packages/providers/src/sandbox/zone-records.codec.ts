import type { ZoneRecord } from "../dns/dns.port.ts";

/** Writes a zone's records as JSON. The same records in another order give the same text. */
export function encodeRecords(records: readonly ZoneRecord[]): string {
  const texts = records.map(({ type, name, value, ttlSeconds, priority }) =>
    JSON.stringify({ type, name, value, ttlSeconds, priority }),
  );
  return `[${texts.sort().join(",")}]`;
}

/** Reads what `encodeRecords` wrote. The text comes from our own file: its shape is taken for granted. */
export function decodeRecords(text: string): readonly ZoneRecord[] {
  return JSON.parse(text) as readonly ZoneRecord[];
}
