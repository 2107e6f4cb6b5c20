import {
  difference,
  defaultZoneRecords,
  differingSets,
  domainAggregate,
  domainDifferences,
  glueOf,
  isToBeCompared,
  lacksZone,
  parseDomainName,
  zoneDifferences,
  type Difference,
  type RegisteredDomain,
} from "@hostledger/core";
import type { CommandHandler } from "@hostledger/store";
import { DriftRound, followDifferences, type DriftReport } from "@hostledger/work";
import { sameRecords, type Registrar, type ZoneHolding } from "@hostledger/providers";
import { defined, type Clock } from "@hostledger/runtime";

import type { HoldingQueries } from "../reads/holding.queries.ts";
import { delegate } from "./asking.ts";
import type { ChangeProviders } from "./change.effects.ts";
import { requestTicketOfSigners } from "./domain-commands.ts";
import type { DomainChanges } from "./domain-changes.ts";
import { delegationOf, provideZone, replaceSets } from "./zone.effects.ts";

export interface DomainDriftOptions extends ChangeProviders {
  readonly commands: CommandHandler;
  readonly clock: Pick<Clock, "now">;
  readonly changes: Pick<DomainChanges, "exclusively">;
  readonly queries: Pick<HoldingQueries, "heldAfter">;
}

/** Compares the books with the registrar and the DNS server. */
export interface DomainDrift {
  /**
   * @param fix true to repair differences that cost neither money nor a name.
   * @param background as in `DriftRound`.
   */
  reconcile(fix: boolean, background?: AbortSignal): Promise<DriftReport>;
  /**
   * Compares one name without repairs, for callers that learned of a change there.
   * @param registrar asked about a name that the books lack, because this registrar reported it.
   */
  compareName(name: string, registrar: Registrar): Promise<DriftReport>;
}

const titleOf = ({ name }: Registrar): string => `The registrar ${name}`;
const dnsName = "The DNS server";
const pageSize = 100;

/** Creates the comparison. What a domain shall be, its own stream says: a read model that lags does no harm. */
export function createDomainDrift(options: DomainDriftOptions): DomainDrift {
  const { changes, commands, dns, queries, registrars } = options;
  const look = async (name: string, silent: (provider: string) => void) =>
    (await lookAt(options, name, silent)) ?? [];
  const follow = (round: DriftRound, report: DriftReport, only?: string) =>
    followDifferences(options, {
      part: "domains",
      report,
      recordedBy: "domain-service",
      ...defined({ only }),
      lookAgain: async (name) => (round.isCutOff ? undefined : lookAgain(options, name)),
    });
  const mend = (name: string): Promise<void> =>
    changes.exclusively(name, async () => {
      const present = await comparable(commands, name);
      if (present !== undefined) await mendDomain(options, present.domain);
    });

  const namesAt = (registrar: Registrar) => ({
    provider: titleOf(registrar),
    look: (name: string, silent: (provider: string) => void) => lookAtName(options, registrar, name, silent),
  });

  return {
    async compareName(name, registrar) {
      const round = new DriftRound(false);
      const list = () => Promise.resolve({ outcome: "done", value: [name] } as const);
      if (await isFree(commands, name))
        await round.compareHoldings({ ...namesAt(registrar), list }, new Set());
      else await round.compare([name], { look, mend });
      const report = round.report();
      await follow(round, report, name);
      return report;
    },

    async reconcile(fix, background) {
      const round = new DriftRound(fix, background);
      const known = new Set<string>();
      for (let after = 0; ;) {
        const page = await queries.heldAfter(after, pageSize);
        const held = page.map(({ domain_name: name }) => name);
        for (const name of held) known.add(name);
        await round.compare(held, { look, mend });
        const last = page.at(-1)?.domain_id;
        if (last === undefined || page.length < pageSize || round.isCutOff) break;
        after = last;
      }
      const zones = {
        provider: dnsName,
        list: dns.list?.bind(dns),
        look: (name: string, silent: (provider: string) => void) => lookAtZone(options, name, silent),
      };
      for (const registrar of registrars.all) {
        const list = registrar.list?.bind(registrar);
        await round.compareHoldings({ ...namesAt(registrar), list }, known);
      }
      await round.compareHoldings(zones, known);
      const report = round.report();
      await follow(round, report);
      return report;
    },
  };
}

interface Comparable {
  readonly domain: RegisteredDomain;
  readonly revision: bigint | undefined;
  /** True while the zone is missing and being created: then only the zone can be compared. */
  readonly isZoneAlone: boolean;
}

/** The domain where it is registered and no work on it is in progress, or none but that its zone is tried again. */
async function comparable(commands: CommandHandler, name: string): Promise<Comparable | undefined> {
  const { state, revision } = await commands.load(domainAggregate, name);
  if (state.status !== "registered") return undefined;
  const { domain } = state;
  const isZoneAlone = !isToBeCompared(domain);
  return isZoneAlone && !lacksZone(domain) ? undefined : { domain, revision, isZoneAlone };
}

/** @returns undefined where nothing can be compared, since the name is not registered or work on it is in progress. */
async function lookAt(
  { commands, dns, registrars, settings }: DomainDriftOptions,
  name: string,
  silent: (provider: string) => void,
): Promise<readonly Difference[] | undefined> {
  const present = await comparable(commands, name);
  if (present === undefined) return undefined;
  const { domain, revision, isZoneAlone } = present;
  const registrar = await registrars.of(name);
  const isSigned = domain.usesServiceNameservers && domain.zone !== null;
  const [atRegistrar, atDns, signers] = await Promise.all([
    isZoneAlone ? undefined : registrar.inquire(name),
    domain.zone === null && !lacksZone(domain) ? undefined : dns.inquireZone(name),
    isSigned ? dns.signers?.(name) : undefined,
  ]);
  // Whatever was changed while they were asked is work in progress.
  if ((await comparable(commands, name))?.revision !== revision) return undefined;
  const isSilent = [atDns, signers].some((answer) => answer !== undefined && answer.outcome !== "done");
  if (isSilent) silent(dnsName);
  const atZone = atDns?.outcome === "done" ? inZone(domain, atDns.value, settings.parkingAddress) : [];
  if (atRegistrar === undefined) return atZone;
  if (atRegistrar.outcome !== "done") {
    silent(titleOf(registrar));
    return atZone;
  }
  const { value } = atRegistrar;
  // Our keys say nothing about the signatures of a foreign zone.
  const isForeign = atZone.some(({ kind }) => kind === "zone-foreign");
  const wanted = signers?.outcome === "done" && !isForeign ? signers.value : undefined;
  return [...domainDifferences(domain, value.held ? value.domain : undefined, wanted), ...atZone];
}

function inZone(
  domain: RegisteredDomain,
  holding: ZoneHolding,
  parkingAddress: string,
): readonly Difference[] {
  if (!holding.held) return zoneDifferences(domain, undefined);
  const { zone, foreignOwner } = holding;
  // The zone was created, and no event says so yet: the next attempt records it.
  const isNewlyMade =
    foreignOwner === undefined && sameRecords(zone.records, defaultZoneRecords(parkingAddress));
  return lacksZone(domain) && isNewlyMade ? [] : zoneDifferences(domain, zone.records, foreignOwner);
}

/** Requests the repair of a domain. The caller checks the result by looking again. */
async function mendDomain(options: DomainDriftOptions, domain: RegisteredDomain): Promise<void> {
  const { dns, registrars } = options;
  const { name, nameservers, transferLock, whoisPrivacy, zone } = domain;
  const differences = await lookAt(options, name, () => undefined);
  const kinds = new Set(differences?.map(({ kind }) => kind));
  const registrar = await registrars.of(name);
  // A name is never delegated to a server that has no zone for it: the zone comes first.
  if (kinds.has("zone-missing"))
    await provideZone(options, { domain, isUncertain: true, record: () => Promise.resolve() });
  const held = zone === null || !kinds.has("zone-records") ? undefined : await dns.inquireZone(name);
  if (zone !== null && held?.outcome === "done" && held.value.held) {
    const wanted = differingSets(zone.records, held.value.zone.records).map((pair) => pair.wanted);
    await replaceSets(dns, name, wanted, true);
  }
  const isToBeDelegated = kinds.has("domain-nameservers") || kinds.has("domain-signers");
  // Nor is a name delegated to somebody else's zone.
  if (isToBeDelegated && !(domain.usesServiceNameservers && kinds.has("zone-foreign"))) {
    // The books do not record the keys of the customer's nameservers.
    const delegation = domain.usesServiceNameservers
      ? await delegationOf(dns, domain, { nameservers, isOurs: true })
      : ({ outcome: "done", value: { nameservers, glue: glueOf(domain, nameservers) } } as const);
    const answer =
      delegation.outcome === "done" ? await delegate(registrar, name, delegation.value, true) : undefined;
    if (answer?.outcome === "refused" && kinds.has("domain-signers"))
      await requestTicketOfSigners(options, domain, answer.reason);
  }
  if (kinds.has("domain-lock")) await registrar.updateSettings(name, { transferLock });
  if (kinds.has("domain-hold"))
    await registrar.updateSettings(name, { hold: domain.offline === "registrar" });
  if (kinds.has("domain-privacy")) await registrar.updateSettings(name, { whoisPrivacy });
}

/** Returns the present differences of a name, whoever owns it; undefined if they cannot be determined. */
async function lookAgain(
  options: DomainDriftOptions,
  name: string,
): Promise<readonly Difference[] | undefined> {
  const silences: string[] = [];
  const silent = (provider: string): void => {
    silences.push(provider);
  };
  const held = (await isFree(options.commands, name))
    ? options.registrars.all.map((registrar) => lookAtName(options, registrar, name, silent))
    : undefined;
  const differences =
    held === undefined
      ? await lookAt(options, name, silent)
      : (await Promise.all(held)).filter((found) => found !== undefined);
  return silences.length === 0 ? differences : undefined;
}

/** A name that the registrar holds and that no account has. */
async function lookAtName(
  { commands }: DomainDriftOptions,
  registrar: Registrar,
  name: string,
  silent: (provider: string) => void,
): Promise<Difference | undefined> {
  if (!(await isFree(commands, name))) return undefined;
  // The name may have been cancelled since the list was read.
  const answer = await registrar.inquire(name);
  if (answer.outcome !== "done") {
    silent(titleOf(registrar));
    return undefined;
  }
  if (!answer.value.held || !(await isFree(commands, name))) return undefined;
  const found = `held until ${answer.value.domain.expiresAt.slice(0, 10)}`;
  return difference("domain-unpaid", name, { expected: "not held", found });
}

/** A zone of a name that no account has. */
async function lookAtZone(
  { commands, dns }: DomainDriftOptions,
  name: string,
  silent: (provider: string) => void,
): Promise<Difference | undefined> {
  if (!(await isFree(commands, name))) return undefined;
  const answer = await dns.inquireZone(name);
  if (answer.outcome !== "done") {
    silent(dnsName);
    return undefined;
  }
  if (!answer.value.held || !(await isFree(commands, name))) return undefined;
  const found = `a zone with ${String(answer.value.zone.records.length)} records`;
  return difference("zone-unpaid", name, { expected: "no zone", found });
}

/** True where nobody has the name, and nobody is about to have it. What is no name of ours has no stream. */
async function isFree(commands: CommandHandler, name: string): Promise<boolean> {
  if (!parseDomainName(name).ok) return true;
  const { state } = await commands.load(domainAggregate, name);
  return state.status === "free";
}
