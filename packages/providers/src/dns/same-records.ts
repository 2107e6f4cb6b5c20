import { canonicalDnsValue, parseDnsRecordType } from "@hostledger/core";

import type { ZoneRecord } from "./dns.port.ts";

/** True where both say the same, in whatever order, and whatever way their values are written. */
export function sameRecords(left: readonly ZoneRecord[], right: readonly ZoneRecord[]): boolean {
  return left.map(keyOf).sort().join("\n") === right.map(keyOf).sort().join("\n");
}

function keyOf({ type, name, value, ttlSeconds, priority }: ZoneRecord): string {
  const known = parseDnsRecordType(type);
  const said = known.ok ? canonicalDnsValue(known.value, value) : value;
  return JSON.stringify([type, name, said, ttlSeconds, priority ?? null]);
}
