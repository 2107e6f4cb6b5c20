import {
  defaultZoneRecords,
  differingSets,
  glueOf,
  type RecordedDnsRecord,
  type RecordSet,
  type RegisteredDomain,
} from "@hostledger/core";
import type { IdSequence } from "@hostledger/store";
import {
  sameRecords,
  type Dns,
  type Outcome,
  type ZoneHolding,
  type ZoneRecord,
} from "@hostledger/providers";

import type { DomainSettings } from "../settings.ts";
import { dnsAnswer, done, settle, type Answer, type Delegation } from "./asking.ts";

/** Whom zones are asked of. */
export interface ZoneProviders {
  readonly dns: Dns;
  readonly recordIds: IdSequence;
  readonly settings: DomainSettings;
}

/** A zone that is to exist. */
export interface ProvidedZone {
  readonly domain: RegisteredDomain;
  /** An earlier call may have reached the DNS server. */
  readonly isUncertain: boolean;
  /** Records that the zone exists, where no event says so yet. */
  readonly record: (records: readonly RecordedDnsRecord[]) => Promise<void>;
}

/**
 * Sees to it that the zone exists: with the records that are stored, where there were some, else with the default ones.
 * A zone stays at the DNS server while its domain is on custom nameservers, so that it is mostly there.
 */
export async function provideZone(
  { dns, recordIds, settings }: ZoneProviders,
  { domain, isUncertain, record }: ProvidedZone,
): Promise<Answer> {
  const { name, zone } = domain;
  const defaults = defaultZoneRecords(settings.parkingAddress);
  const records: readonly ZoneRecord[] =
    zone === null ? defaults : [...zone.records.values()].map((each) => zoneRecordOf(each));
  const answer = await settle(isUncertain, {
    ask: () => dns.createZone({ name, records }),
    async isSo() {
      const inquiry = await dns.inquireZone(name);
      return inquiry.outcome === "done"
        ? isOurs(inquiry.value) && sameRecords(inquiry.value.zone.records, records)
        : undefined;
    },
  });
  // A zone that is there with other records than ours is no reason to keep a domain from its nameservers.
  const isThere = answer.outcome === "done" || (zone !== null && (await isHeld(dns, name)));
  const replaced = isThere || zone !== null ? undefined : await replaceLeftZone(dns, domain, records);
  if (!isThere && replaced?.outcome !== "done") return replaced ?? dnsAnswer(answer);
  if (zone !== null) return done;
  const recorded: RecordedDnsRecord[] = [];
  for (const each of defaults) recorded.push({ recordId: await recordIds.next(), ...each, priority: null });
  await record(recorded);
  return done;
}

/**
 * Returns the delegation of a name. On the service's nameservers it includes the zone's signers. On the customer's
 * nameservers it has none, because a leftover DS record makes the name fail (RFC 6781 §4.3.5). A DNS server that
 * does not sign has no signers. Nameservers below the name itself get their addresses from its zone.
 * @returns the DNS server's outcome if it does not answer.
 */
export async function delegationOf(
  dns: Dns,
  domain: RegisteredDomain,
  { nameservers, isOurs }: { readonly nameservers: readonly string[]; readonly isOurs: boolean },
): Promise<Outcome<Delegation>> {
  const delegated = (delegation: Delegation) => ({ outcome: "done", value: delegation }) as const;
  if (!isOurs) return delegated({ nameservers, signers: [], glue: glueOf(domain, nameservers) });
  const answer = await dns.signers?.(domain.name);
  if (answer === undefined) return delegated({ nameservers });
  return answer.outcome === "done" ? delegated({ nameservers, signers: answer.value }) : answer;
}

/** Has the DNS server hold these record sets, all or none. */
export async function replaceSets(
  dns: Dns,
  name: string,
  sets: readonly RecordSet[],
  isUncertain: boolean,
): Promise<Answer> {
  const answer = await settle(isUncertain, {
    ask: () =>
      dns.replaceRecordSets(
        name,
        sets.map((set) => ({ ...set, records: set.records.map(withPriority) })),
      ),
    async isSo() {
      const inquiry = await dns.inquireZone(name);
      if (inquiry.outcome !== "done") return undefined;
      const { value } = inquiry;
      return isOurs(value) && sets.every((set) => isSet(value.zone.records, set));
    },
  });
  return dnsAnswer(answer);
}

/**
 * Replaces the records of a zone that an earlier domain of the name left behind by those of the new domain. Records
 * that the books of the earlier domain do not explain stay, because they may be somebody else's or already the new
 * domain's.
 * @returns undefined if there is no such zone.
 */
async function replaceLeftZone(
  dns: Dns,
  { name, leftZone }: RegisteredDomain,
  records: readonly ZoneRecord[],
): Promise<Answer | undefined> {
  if (leftZone === undefined) return undefined;
  const inquiry = await dns.inquireZone(name);
  if (inquiry.outcome !== "done" || !isOurs(inquiry.value)) return undefined;
  const left = [...leftZone.values()].map((each) => zoneRecordOf(each));
  if (!sameRecords(inquiry.value.zone.records, left)) return undefined;
  const sets = differingSets(leftZone, records).map(({ held: wanted }) => wanted);
  return replaceSets(dns, name, sets, true);
}

async function isHeld(dns: Dns, zone: string): Promise<boolean> {
  const inquiry = await dns.inquireZone(zone);
  return inquiry.outcome === "done" && isOurs(inquiry.value);
}

/** True where the DNS server holds the zone, and it is nobody else's. */
function isOurs(holding: ZoneHolding): holding is Extract<ZoneHolding, { readonly held: true }> {
  return holding.held && holding.foreignOwner === undefined;
}

function zoneRecordOf({ type, name, value, ttlSeconds, priority }: RecordedDnsRecord): ZoneRecord {
  return { type, name, ttlSeconds, ...withPriority({ value, priority }) };
}

function withPriority({
  value,
  priority,
}: {
  readonly value: string;
  readonly priority: number | null;
}): Pick<ZoneRecord, "value" | "priority"> {
  return priority === null ? { value } : { value, priority };
}

/** True where the records hold exactly this set. */
function isSet(
  records: readonly ZoneRecord[],
  { type, name, ttlSeconds, records: members }: RecordSet,
): boolean {
  const held = records.filter((record) => record.type === type && record.name === name);
  const wanted = members.map((member) => ({ type, name, ttlSeconds, ...withPriority(member) }));
  return sameRecords(held, wanted);
}
