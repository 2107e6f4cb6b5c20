import { signersText, type DelegationSigner } from "../domain/delegation-signer.ts";
import { parseDnsRecordType } from "../domain/dns-record-type.ts";
import { canonicalDnsValue } from "../domain/dns-value.ts";
import { recordSetsOf, type RecordSet } from "../domain/dns-zone.ts";
import type { RegisteredDomain, ZoneRecords } from "../domain/domain.state.ts";
import { difference, type Difference } from "./difference.ts";
import { isToBeHeld, nextDelivery } from "./domain.desired.ts";

/** A name as a registrar holds it. */
export interface HeldName {
  readonly expiresAt: string;
  /** The registry does not tell the date: there is nothing to compare. */
  readonly isExpiryComputed?: boolean;
  readonly nameservers: readonly string[];
  readonly whoisPrivacy: boolean;
  readonly transferLock: boolean;
  /** It does not resolve (EPP `clientHold`); absent where the registrar has no such thing. */
  readonly hold?: boolean;
  /** Absent where the registry says nothing of signers. */
  readonly signers?: readonly DelegationSigner[];
}

/** A record as a DNS server holds it. */
export interface HeldRecord {
  readonly type: string;
  readonly name: string;
  readonly value: string;
  readonly ttlSeconds: number;
  readonly priority?: number;
}

/** A record set that is not as the books have it; `wanted` without records is one that shall not be there. */
export interface DifferingSet {
  readonly wanted: RecordSet;
  readonly held: RecordSet;
}

/** False while work on the domain is in progress, or waits for staff: what providers hold meanwhile says nothing. */
export function isToBeCompared(domain: RegisteredDomain): boolean {
  const isOnItsWay = nextDelivery(domain) !== undefined || domain.suspended !== (domain.offline !== null);
  return isToBeHeld(domain) && domain.delivery.status !== "suspended" && !isOnItsWay;
}

/**
 * What differs at the registrar.
 * @param held undefined: it holds nothing under the name.
 * @param signers those of the name's zone; undefined where they are not ours to say.
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
 * True where the domain's zone could not be created: it is tried again, or staff looks at it. What the DNS server holds under the
 * name meanwhile is not ours.
 */
export function lacksZone(domain: RegisteredDomain): boolean {
  return isToBeHeld(domain) && domain.usesServiceNameservers && domain.zone === null && domain.zoneFailed;
}

/**
 * What differs at the DNS server; nothing of a domain that needs no zone.
 * @param held undefined: there is no such zone.
 * @param foreignOwner whose the zone is, in words, where the DNS server says that it is not ours.
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

/** The record sets that differ, in whatever order and way their values are written. */
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

/** What a set says, the same for sets that say the same. */
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
