import { signersText, type DelegationSigner } from "../domain/delegation-signer.ts";
import { parseDnsRecordType } from "../domain/dns-record-type.ts";
import { canonicalDnsValue } from "../domain/dns-value.ts";
import { recordSetsOf, type RecordSet } from "../domain/dns-zone.ts";
import type { RegisteredDomain, ZoneRecords } from "../domain/domain.state.ts";
import { difference, type Difference } from "./difference.ts";
import { isToBeHeld, nextDelivery } from "./domain.desired.ts";

/** A domain name in the registrar's records. */
export interface HeldName {
  readonly expiresAt: string;
  /** True if the registry does not report the date, so no date can be compared. */
  readonly isExpiryComputed?: boolean;
  readonly nameservers: readonly string[];
  readonly whoisPrivacy: boolean;
  readonly transferLock: boolean;
  /** True if the name does not resolve (EPP `clientHold`); absent if the registrar has no such status. */
  readonly hold?: boolean;
  /** Absent if the registry reports no delegation signers. */
  readonly signers?: readonly DelegationSigner[];
}

export interface HeldRecord {
  readonly type: string;
  readonly name: string;
  readonly value: string;
  readonly ttlSeconds: number;
  readonly priority?: number;
}

/** A record set that differs from the books. `wanted` has no records if the set must not exist. */
export interface DifferingSet {
  readonly wanted: RecordSet;
  readonly held: RecordSet;
}

/** False while work on the domain is in progress or waits for staff, because providers may rightly differ then. */
export function isToBeCompared(domain: RegisteredDomain): boolean {
  const isOnItsWay = nextDelivery(domain) !== undefined || domain.suspended !== (domain.offline !== null);
  return isToBeHeld(domain) && domain.delivery.status !== "suspended" && !isOnItsWay;
}

/**
 * Compares the domain with the registrar's records.
 * @param held undefined if the registrar does not have the name.
 * @param signers delegation signers of the domain's zone; undefined if the service does not sign the zone.
 */
export function domainDifferences(
  domain: RegisteredDomain,
  held: HeldName | undefined,
  signers?: readonly DelegationSigner[],
): readonly Difference[] {
  const { name, whoisPrivacy, transferLock } = domain;
  const isOnHold = domain.offline === "registrar";
  const until = dayOf(domain.expiresAt);
  if (held === undefined)
    return [difference("domain-missing", name, { expected: `held until ${until}`, found: "not held" })];
  const compared = [
    ["domain-expiry", until, held.isExpiryComputed === true ? until : dayOf(held.expiresAt)],
    ["domain-nameservers", hostsOf(domain.nameservers), hostsOf(held.nameservers)],
    ["domain-signers", signersText(signers ?? []), signersText((signers && held.signers) ?? signers ?? [])],
    ["domain-lock", onOrOff(transferLock), onOrOff(held.transferLock)],
    ["domain-hold", onOrOff(isOnHold), onOrOff(held.hold ?? isOnHold)],
    ["domain-privacy", onOrOff(whoisPrivacy), onOrOff(held.whoisPrivacy)],
  ] as const;
  return compared
    .filter(([, expected, found]) => expected !== found)
    .map(([kind, expected, found]) => difference(kind, name, { expected, found }));
}

/**
 * True if the domain's zone could not be created, so that the service retries or staff look. A zone of this name on the
 * DNS server is then not ours.
 */
export function lacksZone(domain: RegisteredDomain): boolean {
  return isToBeHeld(domain) && domain.usesServiceNameservers && domain.zone === null && domain.zoneFailed;
}

/**
 * Compares the zone with the DNS server. A domain that needs no zone has no differences.
 * @param held undefined if the DNS server has no such zone.
 * @param foreignOwner owner of the zone, in words, if the DNS server reports that the zone is not ours.
 */
export function zoneDifferences(
  domain: RegisteredDomain,
  held: readonly HeldRecord[] | undefined,
  foreignOwner?: string,
): readonly Difference[] {
  const { name, zone, offline } = domain;
  if (offline === "zone") return [];
  const isForeign = foreignOwner !== undefined || (held !== undefined && lacksZone(domain));
  if (isForeign && (zone !== null || lacksZone(domain))) {
    const found =
      foreignOwner === undefined
        ? `a zone with ${String(held?.length ?? 0)} other records`
        : `a zone of ${foreignOwner}`;
    return [difference("zone-foreign", name, { expected: "a zone of this installation", found })];
  }
  if (zone === null) return [];
  if (held === undefined) {
    const expected = `a zone with ${String(zone.records.size)} records`;
    return [difference("zone-missing", name, { expected, found: "no zone" })];
  }
  return differingSets(zone.records, held).map(({ wanted, held: found }) =>
    difference("zone-records", `${name} ${wanted.name} ${wanted.type}`, {
      expected: textOf(wanted),
      found: textOf(found),
    }),
  );
}

/** Returns the record sets that differ. Order and spelling of the values do not matter. */
export function differingSets(records: ZoneRecords, held: readonly HeldRecord[]): readonly DifferingSet[] {
  const wanted = new Map(recordSetsOf([...records.values()]).map((set) => [keyOf(set), set]));
  const found = new Map(
    recordSetsOf(held.map(({ priority = null, ...record }) => ({ ...record, priority }))).map((set) => [
      keyOf(set),
      set,
    ]),
  );
  const empty = (like: RecordSet): RecordSet => ({ ...like, records: [] });
  return [
    ...[...wanted].map(([key, set]) => ({ wanted: set, held: found.get(key) ?? empty(set) })),
    ...[...found].filter(([key]) => !wanted.has(key)).map(([, set]) => ({ wanted: empty(set), held: set })),
  ].filter((pair) => textOf(pair.wanted) !== textOf(pair.held));
}

function keyOf({ type, name }: RecordSet): string {
  return `${name} ${type}`;
}

/** Returns a text of the set that is equal for equal sets. */
function textOf({ type, ttlSeconds, records }: RecordSet): string {
  if (records.length === 0) return "no records";
  const known = parseDnsRecordType(type);
  const values = records.map(({ value, priority }) => {
    const said = known.ok ? canonicalDnsValue(known.value, value) : value;
    return priority === null ? said : `${String(priority)} ${said}`;
  });
  return `${values.sort().join(", ")} (${String(ttlSeconds)} s)`;
}

function hostsOf(nameservers: readonly string[]): string {
  const hosts = nameservers.map((host) => host.toLowerCase()).sort();
  return hosts.length === 0 ? "none" : hosts.join(", ");
}

function onOrOff(isOn: boolean): string {
  return isOn ? "on" : "off";
}

/** Registries compare days (EPP `xs:date`). */
function dayOf(instant: string): string {
  return instant.slice(0, 10);
}
