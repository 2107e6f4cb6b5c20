import {
  domainAggregate,
  nextOfDomainSuspension,
  staffTickets,
  type DomainSuspension,
  type DomainSuspensionEffect,
  type OfflineBy,
  type RegisteredDomain,
} from "@hostledger/core";
import { requestStaffTicket, type CommandHandler } from "@hostledger/store";
import { endOf, workKind, type AnyWorkKind, type EffectEnd } from "@hostledger/work";
import type { Clock } from "@hostledger/runtime";

import type { DomainDependencies } from "../dependencies.ts";

import { dnsAnswer, done, heldBy, registrarAnswer, settle, type Answer } from "./asking.ts";
import type { ChangeProviders } from "./change.effects.ts";
import { provideZone } from "./zone.effects.ts";

export interface DomainSuspensionOptions extends ChangeProviders {
  readonly commands: CommandHandler;
  readonly clock: Clock;
}

const retry = { firstMs: 1_000, longestMs: 3_600_000 };

/** The work on the suspensions of domains; its keys are their names. */
export function domainSuspensionWork(options: DomainSuspensionOptions): AnyWorkKind {
  return workKind<DomainSuspension, DomainSuspensionEffect>({
    name: "domain-suspension",
    async load(name) {
      const { state } = await options.commands.load(domainAggregate, name);
      if (state.status !== "registered") return undefined;
      return { domain: state.domain, suspendedBy: options.settings.suspendedBy };
    },
    next: nextOfDomainSuspension,
    effects: {
      "take-offline": {
        retry,
        carryOut: async ({ by }, { domain }) => record(options, domain, by, await take(options, domain, by)),
      },
      "bring-online": {
        retry,
        carryOut: async (_, { domain }) => record(options, domain, null, await bringOnline(options, domain)),
      },
    },
  });
}

/** Asks the provider now; a call that fails is repeated later. @returns whether the domain resolves no more. */
export async function carryOutSuspension(
  { commands, projector, work }: Pick<DomainDependencies, "commands" | "projector" | "work">,
  name: string,
): Promise<boolean> {
  await work.attend({ kind: "domain-suspension", key: name });
  const { state, position } = await commands.load(domainAggregate, name);
  await projector.after(position);
  return state.status === "registered" && state.domain.offline !== null;
}

/** Stores what a provider carried out, and opens a staff ticket for a refusal. */
async function record(
  options: DomainSuspensionOptions,
  domain: RegisteredDomain,
  offline: OfflineBy | null,
  answer: Answer,
): Promise<EffectEnd> {
  const { clock, commands } = options;
  const at = clock.now();
  if (answer.outcome === "refused") {
    const ticket = staffTickets.suspensionRefused(domain, answer.reason, at);
    await requestStaffTicket(options, ticket, "domain-service");
  }
  if (answer.outcome !== "done") return { outcome: "failed", reason: answer.reason };
  const correlationId = `suspension-${String(domain.domainId)}`;
  const executed = await commands.execute(
    domainAggregate,
    domain.name,
    { type: "RecordOffline", data: { offline, at } },
    { commandId: `${correlationId}/${at}`, correlationId, actor: "process:suspension" },
  );
  return endOf(executed, offline === null ? "brought online" : "taken offline");
}

async function take(
  { dns, registrars }: DomainSuspensionOptions,
  { name }: RegisteredDomain,
  by: OfflineBy,
): Promise<Answer> {
  if (by === "registrar") return hold(registrars, name, true);
  return dnsAnswer(await dns.deleteZone(name));
}

async function bringOnline(options: DomainSuspensionOptions, domain: RegisteredDomain): Promise<Answer> {
  if (domain.offline === "registrar") return hold(options.registrars, domain.name, false);
  // The withdrawn zone is the one in the books, and its record exists already.
  return provideZone(options, { domain, isUncertain: true, record: () => Promise.resolve() });
}

async function hold(registrars: ChangeProviders["registrars"], name: string, isOn: boolean): Promise<Answer> {
  const registrar = await registrars.of(name);
  const answer = await settle(true, {
    ask: () => registrar.updateSettings(name, { hold: isOn }),
    isSo: heldBy(registrar, name, (held) => held.hold === isOn),
  });
  return answer.outcome === "done" ? done : registrarAnswer(answer);
}
