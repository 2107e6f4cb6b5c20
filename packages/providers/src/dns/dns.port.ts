import type { DelegationSigner } from "@hostledger/core";

import type { Outcome } from "../outcome.ts";

/** A record as the DNS server holds it. */
export interface ZoneRecord {
  readonly type: string;
  /** Relative to the zone; `@` is the apex. */
  readonly name: string;
  readonly value: string;
  readonly ttlSeconds: number;
  /** MX and SRV only. */
  readonly priority?: number;
}

/** A zone with its records. */
export interface Zone {
  readonly name: string;
  readonly records: readonly ZoneRecord[];
}

/** All records of one type and name; they have one TTL (RFC 2181 §5.2). */
export interface ZoneRecordSet {
  readonly type: string;
  /** Relative to the zone; `@` is the apex. */
  readonly name: string;
  readonly ttlSeconds: number;
  /** Empty: there shall be no such set. */
  readonly records: readonly Pick<ZoneRecord, "value" | "priority">[];
}

/** What the DNS server holds under a name. */
export type ZoneHolding =
  | {
      readonly held: true;
      readonly zone: Zone;
      /** Whose the zone is, in words, where it is not ours: it is neither changed nor deleted here. */
      readonly foreignOwner?: string;
    }
  | { readonly held: false };

/** The authoritative DNS server, in our words. Every call settles; every call may be repeated. */
export interface Dns {
  /** Creates the zone with exactly these records; a zone that exists already with them is `done`. */
  createZone(zone: Zone): Promise<Outcome<void>>;
  /**
   * Gives record sets of a zone exactly these records: all of the sets or none, so that a record that moves from one
   * set to another is never in both or in neither. Other sets stay. A zone that does not exist, or is somebody else's, refuses.
   */
  replaceRecordSets(zone: string, sets: readonly ZoneRecordSet[]): Promise<Outcome<void>>;
  /** Asks for a zone. */
  inquireZone(name: string): Promise<Outcome<ZoneHolding>>;
  /** Removes a zone. One that does not exist is `done`; one of somebody else refuses. */
  deleteZone(name: string): Promise<Outcome<void>>;
  /** The signers that a zone's parent is to publish; none of a zone that is not signed. Absent where no zone is. */
  signers?(zone: string): Promise<Outcome<readonly DelegationSigner[]>>;
  /** The names of the zones that were created here; others may have theirs beside them. Absent where nobody can be asked. */
  list?(): Promise<Outcome<readonly string[]>>;
}
