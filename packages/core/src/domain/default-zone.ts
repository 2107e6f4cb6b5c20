/** A DNS record of a new zone. */
export interface DefaultRecord {
  readonly type: "A";
  readonly name: "@" | "www";
  readonly value: string;
  readonly ttlSeconds: number;
}

/** Seconds (specification §2.2). */
export const defaultTtlSeconds = 3_600;

/**
 * The records of a new managed zone: `@` and `www`, type A (specification §2.1).
 * @param parkingAddress IPv4 address that answers for new domains.
 */
export function defaultZoneRecords(parkingAddress: string): readonly DefaultRecord[] {
  return (["@", "www"] as const).map((name) => ({
    type: "A",
    name,
    value: parkingAddress,
    ttlSeconds: defaultTtlSeconds,
  }));
}
