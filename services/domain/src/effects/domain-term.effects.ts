import {
  asksPayer,
  domainAggregate,
  endTermsOf,
  extensionOf,
  nextOfDomainTerm,
  priceListAggregate,
  staffTickets,
  type DomainCommand,
  type DomainTerm,
  type DomainTermEffect,
  type RegisteredDomain,
} from "@hostledger/core";
import { requestStaffTicket, type Accounts, type CommandHandler } from "@hostledger/store";
import {
  endOf,
  readPayer,
  requestDailyWorkTicket,
  workKind,
  type AnyWorkKind,
  type EffectEnd,
  type RunContext,
} from "@hostledger/work";
import type { Dns, Registrars } from "@hostledger/providers";
import { defined, type Clock } from "@hostledger/runtime";

import type { Renewals } from "./renewals.ts";

export interface DomainTermOptions {
  readonly commands: CommandHandler;
  readonly clock: Clock;
  readonly accounts: Pick<Accounts, "find" | "requireDocumentKey">;
  readonly renewals: Pick<Renewals, "renew" | "hasRoom">;
  readonly registrars: Pick<Registrars, "of">;
  readonly dns: Pick<Dns, "deleteZone">;
}

type Renew = Extract<DomainTermEffect, { readonly type: "renew" }>;
type End = Extract<DomainTermEffect, { readonly type: "withhold" | "delete" }>;

const commandRetry = { firstMs: 1_000, longestMs: 3_600_000 };

/** A provider that did not let a name go is asked again an hour later. */
const endRetry = { firstMs: 3_600_000, longestMs: 3_600_000 };

/** The work on the paid time of domains; its keys are their names. */
export function domainTermWork(options: DomainTermOptions): AnyWorkKind {
  const { accounts, clock, commands } = options;
  return workKind<DomainTerm, DomainTermEffect>({
    name: "domain-term",
    async load(name) {
      const { state } = await commands.load(domainAggregate, name);
      if (state.status !== "registered") return undefined;
      const { domain } = state;
      const lifeCycle = domain.expired
        ? endTermsOf((await commands.load(priceListAggregate, extensionOf(name))).state)
        : null;
      const payer = asksPayer(domain, clock.now()) ? await readPayer(accounts, domain.accountId) : undefined;
      return { domain, lifeCycle, payer };
    },
    next: nextOfDomainTerm,
    effects: {
      renew: { retry: commandRetry, carryOut: (effect, { domain }) => renew(options, domain, effect) },
      "stop-renewing": { retry: commandRetry, carryOut: (_, { domain }) => stopRenewing(options, domain) },
      expire: { retry: commandRetry, carryOut: (_, { domain }) => expire(options, domain) },
      withhold: { retry: endRetry, carryOut: (effect, { domain }) => end(options, domain, effect) },
      delete: { retry: endRetry, carryOut: (effect, { domain }) => end(options, domain, effect) },
    },
    // No charge and no expiry happens before staff have decided.
    tellStaff: ({ domain }) =>
      requestStaffTicket({ commands, clock }, staffTickets.renewalYearsLate(domain), "domain-service"),
    tellOfFailures(name, reason) {
      const options = { commands, clock, recordedBy: "domain-service" };
      return requestDailyWorkTicket(options, { work: "terms-domains", about: name }, reason);
    },
  });
}

async function renew(
  { accounts, renewals }: DomainTermOptions,
  { name, accountId }: RegisteredDomain,
  { renewal: { renewalId, expiresAt }, availableCents }: Renew,
): Promise<EffectEnd> {
  if (!renewals.hasRoom) return { outcome: "failed", reason: "As many renewals as may be are under way" };
  await accounts.requireDocumentKey(accountId);
  const once = { years: 1, automatic: true, restoration: false };
  const requested = { name, renewalId, expiresAt, ...once, ...defined({ availableCents }) };
  const answer = await renewals.renew(requested, contextOf(renewalId));
  switch (answer.kind) {
    case "done":
      return { outcome: "done", step: "renewed" };
    case "declined":
    case "failed":
    case "abandoned":
      return { outcome: "done", step: "failed" };
    case "pending":
    case "unsettled":
      return { outcome: "done", step: "unsettled" };
    case "not-begun":
      return { outcome: "failed", reason: answer.rejection.message };
  }
}

function stopRenewing(options: DomainTermOptions, domain: RegisteredDomain): Promise<EffectEnd> {
  const { accountId, domainId, expiresAt } = domain;
  const changeId = `erasure-${String(accountId)}`;
  const command = {
    type: "SetAutoRenewal",
    data: { changeId, autoRenew: false, at: options.clock.now() },
  } as const;
  const id = `${changeId}-${String(domainId)}-${expiresAt.slice(0, 10)}`;
  return give(options, domain, command, { id, step: "not renewed any more" });
}

/** The end of its days comes in a later round, so that its customer sees it expired first. */
async function expire(options: DomainTermOptions, domain: RegisteredDomain): Promise<EffectEnd> {
  const day = domain.expiresAt.slice(0, 10).replaceAll("-", "");
  const command = { type: "ExpireDomain", data: { at: options.clock.now() } } as const;
  const id = `expiry-${String(domain.domainId)}-${day}`;
  const ended = await give(options, domain, command, { id, step: "expired" });
  return ended.outcome === "done" ? { ...ended, againAfterMs: 0 } : ended;
}

/** Takes a name a step nearer to its end: its registrar first, then its zone, so that no zone is left without its domain. */
async function end(
  options: DomainTermOptions,
  domain: RegisteredDomain,
  { type, lifeCycle }: End,
): Promise<EffectEnd> {
  const { clock, dns } = options;
  const isLast = type === "delete";
  const objection = await letGo(options, domain);
  if (objection !== undefined) return { outcome: "failed", reason: objection };
  if (isLast && domain.zone !== null) {
    const removed = await dns.deleteZone(domain.name);
    if (removed.outcome !== "done") return { outcome: "failed", reason: removed.message };
  }
  const data = { lifeCycle, at: clock.now() };
  const command = { type: isLast ? "DeleteDomain" : "WithholdDomain", data } as const;
  const id = `end-${String(domain.domainId)}`;
  const step = isLast ? "deleted" : "withheld";
  return give(options, domain, command, { id, step, part: `/${domain.expiresAt}` });
}

/** Has the registrar hold the name no longer. @returns why it still may, or undefined. */
async function letGo(options: DomainTermOptions, domain: RegisteredDomain): Promise<string | undefined> {
  const { name, expiresAt } = domain;
  const toStaff = async (why: string): Promise<string> => {
    const ticket = staffTickets.domainNotEnded(domain, why, options.clock.now());
    await requestStaffTicket(options, ticket, "domain-service");
    return why;
  };
  const registrar = await options.registrars.of(name);
  const held = await registrar.inquire(name);
  if (held.outcome !== "done") return held.message;
  if (!held.value.held) return undefined;
  const { isRenewedUnasked = false, isExpiryComputed = false } = held.value.domain;
  // If the registry reports no date, our computed date is the only one.
  const until = (isExpiryComputed ? expiresAt : held.value.domain.expiresAt).slice(0, 10);
  // The deletion undoes a renewal by the registry. A renewal by somebody else stays.
  if (until > expiresAt.slice(0, 10) && !isRenewedUnasked)
    return toStaff(`The registrar holds it until ${until}, and nobody has paid for that`);
  const cancelled = await registrar.cancel(name);
  if (cancelled.outcome === "refused" && cancelled.reason === "rejected")
    return toStaff(`The registrar does not cancel it: ${cancelled.message}`);
  const after = await registrar.inquire(name);
  const isGone = after.outcome === "done" && !after.value.held;
  return isGone ? undefined : "The registrar was asked to cancel it, and does not say yet that it has";
}

/** Gives a domain a command, once for each id. */
async function give(
  { commands }: DomainTermOptions,
  { name }: RegisteredDomain,
  command: DomainCommand,
  { id, step, part = "" }: { readonly id: string; readonly step: string; readonly part?: string },
): Promise<EffectEnd> {
  const context = { ...contextOf(id), commandId: `${id}/${command.type}${part}` };
  return endOf(await commands.execute(domainAggregate, name, command, context), step);
}

function contextOf(correlationId: string): RunContext {
  return { correlationId, actor: "process:life-cycle" };
}
