import {
  assertNever,
  openSettings,
  setsChangedBy,
  type DomainChange,
  type RecordChange,
  type RecordedDnsRecord,
  type RegisteredDomain,
  type RegistrarSetting,
} from "@hostledger/core";
import type { Registrars } from "@hostledger/providers";

import { delegate, dnsAnswer, done, heldBy, registrarAnswer, settle, type Answer } from "./asking.ts";
import { delegationOf, provideZone, replaceSets, type ZoneProviders } from "./zone.effects.ts";

/** Whom changes are asked of. */
export interface ChangeProviders extends ZoneProviders {
  readonly registrars: Registrars;
}

/** Outcome of a step within a change, recorded before the next step. */
export type ChangeStep =
  | { readonly type: "RecordChangeZone"; readonly records: readonly RecordedDnsRecord[] }
  | { readonly type: "RecordChangedSetting"; readonly setting: RegistrarSetting };

export interface ChangeAttempt {
  readonly domain: RegisteredDomain;
  /** An earlier call may have reached the provider: a refusal of this one does not say that nothing was done. */
  readonly isUncertain: boolean;
  readonly record: (step: ChangeStep) => Promise<void>;
}

/**
 * Asks the providers for a change once. Every call states the desired result and may be repeated; an unanswered call
 * leads to an inquiry. Provider errors never throw.
 */
export async function carryOut(
  providers: ChangeProviders,
  change: DomainChange,
  attempt: ChangeAttempt,
): Promise<Answer> {
  switch (change.kind) {
    case "nameservers":
      return changeNameservers(providers, change, attempt);
    case "settings":
      return changeSettings(providers, change, attempt);
    case "add-record":
    case "update-record":
    case "delete-record":
    case "replace-set":
      return changeRecords(providers, change, attempt);
    default:
      return assertNever(change);
  }
}

/** The zone comes before the delegation: the service's nameservers must be able to answer for the name. */
async function changeNameservers(
  providers: ChangeProviders,
  change: Extract<DomainChange, { kind: "nameservers" }>,
  { domain, isUncertain, record }: ChangeAttempt,
): Promise<Answer> {
  if (change.usesServiceNameservers) {
    const zone = await provideZone(providers, {
      domain,
      isUncertain,
      record: (records) => record({ type: "RecordChangeZone", records }),
    });
    if (zone.outcome !== "done") return zone;
  }
  const { nameservers, usesServiceNameservers: isOurs } = change;
  const delegation = await delegationOf(providers.dns, domain, { nameservers, isOurs });
  if (delegation.outcome !== "done") return dnsAnswer(delegation);
  const registrar = await providers.registrars.of(domain.name);
  return delegate(registrar, domain.name, delegation.value, isUncertain);
}

/** Changes one setting after the other, and records each outcome, because a registrar may accept only some of them. */
async function changeSettings(
  { registrars }: ChangeProviders,
  change: Extract<DomainChange, { kind: "settings" }>,
  { domain, isUncertain, record }: ChangeAttempt,
): Promise<Answer> {
  const { name } = domain;
  const registrar = await registrars.of(name);
  for (const setting of openSettings(change, domain)) {
    const value = change[setting] === true;
    const answer = await settle(isUncertain, {
      ask: () => registrar.updateSettings(name, { [setting]: value }),
      isSo: heldBy(registrar, name, (held) => held[setting] === value),
    });
    if (answer.outcome !== "done") return registrarAnswer(answer);
    await record({ type: "RecordChangedSetting", setting });
  }
  return done;
}

async function changeRecords(
  { dns }: ChangeProviders,
  change: RecordChange,
  { domain, isUncertain }: ChangeAttempt,
): Promise<Answer> {
  const { name, zone } = domain;
  if (zone === null) throw new Error(`the domain ${name} changes records without a zone`);
  return replaceSets(dns, name, setsChangedBy(zone.records, change), isUncertain);
}
