import {
  type AutomaticRenewal,
  domainAggregate,
  type DomainState,
  isAffordable,
  isYearsLate,
  nextAutomaticRenewal,
  type RegisteredDomain,
  staffTickets,
} from "@hostledger/core";
import { requestStaffTicket, type CommandHandler } from "@hostledger/event-store";
import type { Payers, RunContext } from "@hostledger/process-manager";
import { defined, type Clock, type Logger } from "@hostledger/runtime";

import type { DueDomain } from "../reads/life-cycle.queries.ts";
import type { DomainEnds } from "./domain-end.ts";
import type { Renewals } from "./renewals.ts";

/** What the steps are taken with. */
export interface StepOptions {
  readonly commands: CommandHandler;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly renewals: Pick<Renewals, "renew" | "hasRoom">;
  readonly ends: DomainEnds;
  /** False while nothing may be done because of the time alone. Default: always true. */
  readonly isTimeTrusted?: () => boolean;
}

/** What one round did, in numbers of domains' steps. */
export interface DueWork {
  /** Charged and renewed. */
  readonly renewed: number;
  /** Nothing charged: the balance was too low, or the account or the registrar refused. */
  readonly failed: number;
  /** Charged, and still asking the registrar. */
  readonly unsettled: number;
  readonly expired: number;
  /** Of those that nobody renewed in their days of grace: their registries withhold them. */
  readonly withheld: number;
  /** Of those that nobody had back to the end: not in the books any more. */
  readonly deleted: number;
  /** Left for the next round: somebody else was at it, there was no room, or it failed for a technical reason. */
  readonly skipped: number;
}

/** A step of one domain. */
export type Step = keyof DueWork;

/** What a round works with: it looks at every account once. */
type Round = StepOptions & { readonly payers: Payers };

/** A domain to look at, with what its account has in cents (EUR) where that is why. */
export interface AttendedDomain extends Pick<DueDomain, "domain_name"> {
  readonly availableCents?: bigint;
}

/** Steps of one domain in one round: a domain that missed many years is caught up, one charge for each. */
const stepLimit = 50;

/** Does what is due for one domain. A domain that cannot be worked on keeps no other one waiting. */
export async function attendDomain(round: Round, due: AttendedDomain): Promise<readonly Step[]> {
  const steps: Step[] = [];
  try {
    while (steps.length < stepLimit) {
      // A balance is worth one try: it may be gone since it was read.
      const step = await nextStep(round, steps.length === 0 ? due : { domain_name: due.domain_name });
      if (step === undefined) break;
      steps.push(step);
      if (step === "skipped" || step === "unsettled" || step === "expired") break;
    }
  } catch (error) {
    round.logger.error({ domain: due.domain_name, error }, "the life cycle of a domain is held up");
    steps.push("skipped");
  }
  return steps;
}

/** Takes a domain that nobody renewed a step nearer to its end. One that is held up keeps no other one waiting. */
export async function endStep(
  { ends, logger, isTimeTrusted = () => true }: StepOptions,
  { domain_name: name }: DueDomain,
): Promise<"deleted" | "withheld" | "skipped" | undefined> {
  if (!isTimeTrusted()) return undefined;
  try {
    return await ends.end(name);
  } catch (error) {
    logger.error({ domain: name, error }, "the end of a domain is held up");
    return "skipped";
  }
}

/** The one step that is due for the domain now, as its own stream tells. @returns undefined when there is none. */
async function nextStep(
  round: Round,
  { domain_name: name, availableCents }: AttendedDomain,
): Promise<Step | undefined> {
  const { commands, clock, payers, isTimeTrusted = () => true } = round;
  const { state } = await commands.load(domainAggregate, name);
  const domain = registered(state);
  // The clock may have jumped since the round began.
  if (domain === undefined || !isTimeTrusted()) return undefined;
  const now = clock.now();
  const next = nextAutomaticRenewal(domain);
  if (next !== undefined && (next.dueAt <= now || isAffordable(domain, availableCents))) {
    if (await payers.isErased(domain.accountId)) return stopRenewing(round, domain);
    if (isYearsLate(domain, now)) return askStaff(round, domain);
    return renew(round, name, { ...next, ...defined({ availableCents }) });
  }
  const isOver = !domain.expired && domain.renewal === null && domain.expiresAt <= now;
  return isOver ? expire(round, name, domain) : undefined;
}

/** Nobody is behind its account any more: it comes to its end, and nobody is asked for money. */
async function stopRenewing(
  { commands, clock }: StepOptions,
  { domainId, accountId, name, expiresAt }: RegisteredDomain,
): Promise<undefined> {
  const changeId = `erasure-${String(accountId)}`;
  const correlationId = `${changeId}-${String(domainId)}-${expiresAt.slice(0, 10)}`;
  const stopped = await commands.execute(
    domainAggregate,
    name,
    { type: "SetAutoRenewal", data: { changeId, autoRenew: false, at: clock.now() } },
    { commandId: `${correlationId}/SetAutoRenewal`, correlationId, actor: "process:life-cycle" },
  );
  if (!stopped.accepted) throw new Error(stopped.rejection.message);
}

/** Once for each expiry date. Nothing is charged, and nothing ends, before they have decided. */
async function askStaff(options: StepOptions, domain: RegisteredDomain): Promise<undefined> {
  await requestStaffTicket(options, staffTickets.renewalYearsLate(domain), "domain-service");
}

async function renew(
  { renewals }: StepOptions,
  name: string,
  {
    renewalId,
    expiresAt,
    availableCents,
  }: Pick<AutomaticRenewal, "renewalId" | "expiresAt"> & Pick<AttendedDomain, "availableCents">,
): Promise<Step> {
  if (!renewals.hasRoom) return "skipped";
  const wish = {
    name,
    renewalId,
    expiresAt,
    years: 1,
    automatic: true,
    restoration: false,
    ...defined({ availableCents }),
  };
  const outcome = await renewals.renew(wish, contextOf(renewalId));
  switch (outcome.kind) {
    case "done":
      return "renewed";
    case "declined":
    case "failed":
    case "abandoned":
      return "failed";
    case "pending":
    case "unsettled":
      return "unsettled";
    case "not-begun":
      return "skipped";
  }
}

async function expire(
  { commands, clock }: StepOptions,
  name: string,
  { domainId, expiresAt }: RegisteredDomain,
): Promise<Step> {
  const id = `expiry-${String(domainId)}-${expiresAt.slice(0, 10).replaceAll("-", "")}`;
  const executed = await commands.execute(
    domainAggregate,
    name,
    { type: "ExpireDomain", data: { at: clock.now() } },
    { ...contextOf(id), commandId: `${id}/ExpireDomain` },
  );
  return executed.accepted ? "expired" : "skipped";
}

function contextOf(correlationId: string): RunContext {
  return { correlationId, actor: "process:life-cycle" };
}

function registered(state: DomainState): RegisteredDomain | undefined {
  return state.status === "registered" ? state.domain : undefined;
}
