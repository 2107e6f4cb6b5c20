import {
  asLine,
  assertNever,
  canonicalDnsValue,
  defaultZoneRecords,
  openSettings,
  parseDnsRecordType,
  setsChangedBy,
  type ChangeFailure,
  type DomainChange,
  type RecordChange,
  type RecordedDnsRecord,
  type RecordSet,
  type RegisteredDomain,
  type RegistrarSetting,
} from "@hostledger/core";
import type { IdSequence } from "@hostledger/event-store";
import type { Dns, Outcome, Registrar, RegistrarDomain, ZoneRecord } from "@hostledger/providers";

import type { DomainSettings } from "../settings.ts";

/** Whom changes are asked of. */
export interface ChangeParties {
  readonly registrar: Registrar;
  readonly dns: Dns;
  readonly recordIds: IdSequence;
  readonly settings: DomainSettings;
}

/** What a step within a change comes to, to be recorded before the next step. */
export type ChangeStep =
  | { readonly type: "RecordChangeZone"; readonly records: readonly RecordedDnsRecord[] }
  | { readonly type: "RecordChangedSetting"; readonly setting: RegistrarSetting };

/** One attempt at a change. */
export interface Attempt {
  readonly domain: RegisteredDomain;
  /** An earlier call may have reached the other party: a refusal of this one does not say that nothing was done. */
  readonly isUncertain: boolean;
  /** Records a step. */
  readonly record: (step: ChangeStep) => Promise<void>;
}

/** How an attempt ended: as `Outcome`, with the code of the party that did not carry it out. */
export type AttemptOutcome =
  | { readonly outcome: "done" }
  | { readonly outcome: "refused"; readonly code: ChangeFailure; readonly reason: string }
  | { readonly outcome: "unknown"; readonly code: ChangeFailure; readonly reason: string };

/** Characters of another party's words that are kept. */
const longestReason = 500;

const done: AttemptOutcome = { outcome: "done" };

/**
 * Asks for a change once. Every call says what shall be so, and may be made again; one that is not answered is asked
 * about. Never throws on account of another party.
 */
export async function carryOut(
  parties: ChangeParties,
  change: DomainChange,
  attempt: Attempt,
): Promise<AttemptOutcome> {
  switch (change.kind) {
    case "nameservers":
      return changeNameservers(parties, change, attempt);
    case "settings":
      return changeSettings(parties, change, attempt);
    case "add-record":
    case "update-record":
    case "delete-record":
      return changeRecords(parties, change, attempt);
    default:
      return assertNever(change);
  }
}

/** The zone comes before the delegation: the service's nameservers must be able to answer for the name. */
async function changeNameservers(
  parties: ChangeParties,
  change: Extract<DomainChange, { kind: "nameservers" }>,
  attempt: Attempt,
): Promise<AttemptOutcome> {
  const { registrar } = parties;
  const { name } = attempt.domain;
  if (change.usesServiceNameservers) {
    const zone = await provideZone(parties, attempt);
    if (zone.outcome !== "done") return zone;
  }
  const answer = await settle(attempt, {
    ask: () => registrar.updateNameservers(name, change.nameservers),
    isSo: heldBy(registrar, name, ({ nameservers }) => sameHosts(nameservers, change.nameservers)),
  });
  return outcomeOf(answer, registrarCode);
}

/**
 * Sees to it that the zone exists: with the records that are stored, where there were some, else with the default ones.
 * A zone stays at the DNS server while its domain is on custom nameservers, so that it is mostly there.
 */
async function provideZone(
  { dns, recordIds, settings }: ChangeParties,
  { domain, isUncertain, record }: Attempt,
): Promise<AttemptOutcome> {
  const { name, zone } = domain;
  const defaults = defaultZoneRecords(settings.parkingAddress);
  const records: readonly ZoneRecord[] =
    zone === null ? defaults : [...zone.records.values()].map((each) => zoneRecordOf(each));
  const answer = await settle(
    { isUncertain },
    {
      ask: () => dns.createZone({ name, records }),
      async isSo() {
        const inquiry = await dns.inquireZone(name);
        return inquiry.outcome === "done"
          ? inquiry.value.held && sameRecords(inquiry.value.zone.records, records)
          : undefined;
      },
    },
  );
  // A zone that is there with other records than ours is no reason to keep a domain from its nameservers.
  const isThere = answer.outcome === "done" || (zone !== null && (await isHeld(dns, name)));
  if (!isThere) return outcomeOf(answer, dnsCode);
  if (zone !== null) return done;
  const recorded: RecordedDnsRecord[] = [];
  for (const each of defaults) recorded.push({ recordId: await recordIds.next(), ...each, priority: null });
  await record({ type: "RecordChangeZone", records: recorded });
  return done;
}

/** One setting after the other: where the registrar takes one and not the other, each is told as it is. */
async function changeSettings(
  { registrar }: ChangeParties,
  change: Extract<DomainChange, { kind: "settings" }>,
  attempt: Attempt,
): Promise<AttemptOutcome> {
  const { name } = attempt.domain;
  for (const setting of openSettings(change, attempt.domain)) {
    const value = change[setting] === true;
    const answer = await settle(attempt, {
      ask: () => registrar.updateSettings(name, { [setting]: value }),
      isSo: heldBy(registrar, name, (held) => held[setting] === value),
    });
    if (answer.outcome !== "done") return outcomeOf(answer, registrarCode);
    await attempt.record({ type: "RecordChangedSetting", setting });
  }
  return done;
}

async function changeRecords(
  { dns }: ChangeParties,
  change: RecordChange,
  attempt: Attempt,
): Promise<AttemptOutcome> {
  const { name, zone } = attempt.domain;
  if (zone === null) throw new Error(`the domain ${name} changes records without a zone`);
  const sets = setsChangedBy(zone.records, change);
  const answer = await settle(attempt, {
    ask: () =>
      dns.replaceRecordSets(
        name,
        sets.map((set) => ({ ...set, records: set.records.map(withPriority) })),
      ),
    async isSo() {
      const inquiry = await dns.inquireZone(name);
      if (inquiry.outcome !== "done") return undefined;
      const { value } = inquiry;
      return value.held && sets.every((set) => isSet(value.zone.records, set));
    },
  });
  return outcomeOf(answer, dnsCode);
}

/**
 * Makes a call and settles what came of it. What nobody answers is asked about; so is a refusal after a call that may
 * have been carried out. What even then is not known is `unknown`, and is tried again.
 */
async function settle(
  { isUncertain }: Pick<Attempt, "isUncertain">,
  call: { ask(): Promise<Outcome<unknown>>; isSo(): Promise<boolean | undefined> },
): Promise<Outcome<undefined>> {
  const answer = await call.ask();
  if (answer.outcome === "done") return { outcome: "done", value: undefined };
  if (answer.outcome === "refused" && !isUncertain) return answer;
  const isSo = await call.isSo();
  if (isSo === true) return { outcome: "done", value: undefined };
  if (isSo === false && answer.outcome === "refused") return answer;
  return { outcome: "unknown", message: answer.message };
}

function outcomeOf(
  answer: Outcome<unknown>,
  codeOf: (answer: Outcome<unknown>) => ChangeFailure,
): AttemptOutcome {
  if (answer.outcome === "done") return done;
  const reason = asLine(answer.message, longestReason, "No reason was given");
  return { outcome: answer.outcome, code: codeOf(answer), reason };
}

function registrarCode(answer: Outcome<unknown>): ChangeFailure {
  return answer.outcome === "refused" && answer.reason === "rejected"
    ? "registrar-refused"
    : "registrar-unavailable";
}

function dnsCode(): ChangeFailure {
  return "dns-unavailable";
}

async function isHeld(dns: Dns, zone: string): Promise<boolean> {
  const inquiry = await dns.inquireZone(zone);
  return inquiry.outcome === "done" && inquiry.value.held;
}

function heldBy(
  registrar: Registrar,
  name: string,
  isSo: (held: RegistrarDomain) => boolean,
): () => Promise<boolean | undefined> {
  return async () => {
    const inquiry = await registrar.inquire(name);
    if (inquiry.outcome !== "done") return undefined;
    return inquiry.value.held && isSo(inquiry.value.domain);
  };
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

function sameRecords(left: readonly ZoneRecord[], right: readonly ZoneRecord[]): boolean {
  return left.map(keyOf).sort().join("\n") === right.map(keyOf).sort().join("\n");
}

function keyOf({ type, name, value, ttlSeconds, priority }: ZoneRecord): string {
  const known = parseDnsRecordType(type);
  const said = known.ok ? canonicalDnsValue(known.value, value) : value;
  return JSON.stringify([type, name, said, ttlSeconds, priority ?? null]);
}

function sameHosts(left: readonly string[], right: readonly string[]): boolean {
  return left.toSorted().join() === right.toSorted().join();
}
