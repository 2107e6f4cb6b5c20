import { canonicalDnsValue, parseDnsRecordType } from "@hostledger/core";
import type { DelegationSigner } from "@hostledger/core";

import type { Outcome } from "../outcome.ts";

export interface ZoneRecord {
  readonly type: string;
  /** Relative to the zone; `@` is the apex. */
  readonly name: string;
  readonly value: string;
  readonly ttlSeconds: number;
  /** Only for MX and SRV. */
  readonly priority?: number;
}

export interface Zone {
  readonly name: string;
  readonly records: readonly ZoneRecord[];
}

/** A record set: all records of one type and name, with one TTL (RFC 2181 §5.2). */
export interface ZoneRecordSet {
  readonly type: string;
  /** Relative to the zone; `@` is the apex. */
  readonly name: string;
  readonly ttlSeconds: number;
  /** Empty to remove the set. */
  readonly records: readonly Pick<ZoneRecord, "value" | "priority">[];
}

/** Result of an inquiry about a zone. */
export type ZoneHolding =
  | {
      readonly held: true;
      readonly zone: Zone;
      /** Owner of a foreign zone in words; we neither change nor delete such a zone. */
      readonly foreignOwner?: string;
    }
  | { readonly held: false };

/** Port to the authoritative DNS server. Every call resolves and may be repeated. */
export interface Dns {
  /** Creates a zone with exactly these records; `done` if it exists with them. */
  createZone(zone: Zone): Promise<Outcome<void>>;
  /** Replaces record sets atomically; other sets stay. Refused for a missing or foreign zone. */
  replaceRecordSets(zone: string, sets: readonly ZoneRecordSet[]): Promise<Outcome<void>>;
  inquireZone(name: string): Promise<Outcome<ZoneHolding>>;
  /** Deletes a zone; `done` if missing, refused if foreign. */
  deleteZone(name: string): Promise<Outcome<void>>;
  /** Returns the DS records for the zone's parent, empty for an unsigned zone. Absent if no zone is signed. */
  signers?(zone: string): Promise<Outcome<readonly DelegationSigner[]>>;
  /** Returns the names of our zones. Absent if they cannot be listed. */
  list?(): Promise<Outcome<readonly string[]>>;
}

/** Returns true if the records are equal regardless of order and spelling. */
export function sameRecords(left: readonly ZoneRecord[], right: readonly ZoneRecord[]): boolean {
  return left.map(keyOf).sort().join("\n") === right.map(keyOf).sort().join("\n");
}

function keyOf({ type, name, value, ttlSeconds, priority }: ZoneRecord): string {
  const known = parseDnsRecordType(type);
  const said = known.ok ? canonicalDnsValue(known.value, value) : value;
  return JSON.stringify([type, name, said, ttlSeconds, priority ?? null]);
}
