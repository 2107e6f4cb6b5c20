import { canonicalDnsValue, parseDnsRecordType } from "@hostledger/core";

import type { ZoneRecord } from "./dns.port.ts";

/** Returns true if the records are equal regardless of order and spelling. */
export function sameRecords(left: readonly ZoneRecord[], right: readonly ZoneRecord[]): boolean {
  return left.map(keyOf).sort().join("\n") === right.map(keyOf).sort().join("\n");
}

function keyOf({ type, name, value, ttlSeconds, priority }: ZoneRecord): string {
  const known = parseDnsRecordType(type);
  const said = known.ok ? canonicalDnsValue(known.value, value) : value;
  return JSON.stringify([type, name, said, ttlSeconds, priority ?? null]);
}
