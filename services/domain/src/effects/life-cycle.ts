import {
  addMilliseconds,
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
import { createPayers, type Payers, type RunContext } from "@hostledger/process-manager";
import { pagesById } from "@hostledger/projections";
import type { AccountClient } from "@hostledger/rpc";
import { defined, isAborted, type Clock, type Logger } from "@hostledger/runtime";

import type { DomainEnds } from "./domain-end.ts";
import type { Renewals } from "./renewals.ts";
import {
  fromTheFirst,
  type DueDomain,
  type DuePage,
  type LifeCycleQueries,
} from "../reads/life-cycle.queries.ts";

/** What the worker is made of. */
export interface LifeCycleOptions {
  readonly commands: CommandHandler;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly queries: LifeCycleQueries;
  readonly renewals: Pick<Renewals, "renew" | "hasRoom">;
  readonly accounts: AccountClient;
  readonly ends: DomainEnds;
  /** False while nothing may be done because of the time alone. Default: always true. */
  readonly isTimeTrusted?: () => boolean;
  /** How long the worker rests between two rounds, in milliseconds. Default 30 s. */
  readonly intervalMs?: number;
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

/** Renews and expires domains as time goes by. */
export interface LifeCycle {
  /** Does everything that is due now. Several may run at once, here and elsewhere: nothing is done twice. */
  runDueWork(signal?: AbortSignal): Promise<DueWork>;
  /** Does what is due, again and again, until the signal aborts. */
  run(signal: AbortSignal): Promise<void>;
}

type Step = keyof DueWork;

/** What a round works with: it looks at every account once. */
type Round = LifeCycleOptions & { readonly payers: Payers };

/** A domain to look at, with what its account has in cents (EUR) where that is why. */
interface AttendedDomain extends Pick<DueDomain, "domain_name"> {
  readonly availableCents?: bigint;
}

const defaultIntervalMs = 30_000;

/** How long the worker rests after a round in which it tried something. */
const afterWorkMs = 1_000;

const dayMs = 86_400_000;

/** Domains read at a time, and worked on at a time. */
const pageSize = 200;
const concurrency = 16;

/** Steps of one domain in one round: a domain that missed many years is caught up, one charge for each. */
const stepLimit = 50;

/**
 * Creates the worker. It follows the state, not a tick: the read model tells which domains to look at, the domain's own
 * stream decides what is due, and an id made of the expiry date and the number of tries keeps each try one.
 */
export function createLifeCycle(options: LifeCycleOptions): LifeCycle {
  const { clock, queries, intervalMs = defaultIntervalMs, isTimeTrusted = () => true } = options;

  async function runDueWork(signal = new AbortController().signal): Promise<DueWork> {
    const work: Record<Step, number> = {
      renewed: 0,
      failed: 0,
      unsettled: 0,
      expired: 0,
      withheld: 0,
      deleted: 0,
      skipped: 0,
    };
    if (!isTimeTrusted()) return work;
    const now = clock.now();
    const round = { ...options, payers: createPayers(options) };
    const attend = async (due: AttendedDomain): Promise<void> => {
      for (const step of await attendDomain(round, due)) work[step] += 1;
    };
    const endDomain = async (due: DueDomain): Promise<void> => {
      const step = await endStep(options, due);
      if (step !== undefined) work[step] += 1;
    };
    await forEachDue((after) => queries.dueRenewals(now, after, pageSize), attend, signal);
    await forEachPaid(options, attend, signal);
    const { toHold, toEnd } = await queries.shortestDays();
    const before = (days: number): string => addMilliseconds(now, -days * dayMs);
    await forEachDue((after) => queries.dueDeletions(before(toEnd), after, pageSize), endDomain, signal);
    await forEachDue((after) => queries.dueHolds(before(toHold), after, pageSize), endDomain, signal);
    // What expires now had its last try in the pages before, or needs none.
    await forEachDue((after) => queries.dueExpiries(now, after, pageSize), attend, signal);
    return work;
  }

  return {
    runDueWork,
    async run(signal) {
      // After a start soon and then less often: a renewal that was cut off is taken over meanwhile, and may leave
      // something to do, as every try does (a domain whose last one failed expires).
      for (let restMs = afterWorkMs; !isAborted(signal); restMs *= 2) {
        const { failed, renewed, unsettled } = await runDueWork(signal);
        if (failed + renewed + unsettled > 0) restMs = afterWorkMs;
        await clock.sleep(Math.min(restMs, intervalMs), signal);
        restMs = Math.min(restMs, intervalMs);
      }
    },
  };
}

/** Page by page, a bounded number of domains at a time. */
async function forEachDue(
  read: (after: DuePage) => Promise<readonly DueDomain[]>,
  attend: (due: DueDomain) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  let after: DuePage | undefined = fromTheFirst;
  while (after !== undefined && !isAborted(signal)) {
    const page: readonly DueDomain[] = await read(after);
    const waiting = page.values();
    const lanes = Array.from({ length: concurrency }, async () => {
      for (const due of waiting) {
        if (isAborted(signal)) return;
        await attend(due);
      }
    });
    await Promise.all(lanes);
    after = page.length === pageSize ? page.at(-1) : undefined;
  }
}

/** Those whose last renewal lacked money that is there now, whoever sent it: they need not wait for their next try. */
async function forEachPaid(
  options: LifeCycleOptions,
  attend: (domain: AttendedDomain) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  // What was charged before in this round is gone from their balances.
  const payers = createPayers(options);
  const unpaid = pagesById({
    read: (afterId, limit) => options.queries.unpaidRenewals(afterId, limit),
    idOf: ({ domain_id: id }) => id,
    size: pageSize,
  });
  for await (const page of unpaid)
    for (const { account_id: accountId, missed_cents: missed, domain_name } of page) {
      if (isAborted(signal)) return;
      const availableCents = await payers.covering(accountId, BigInt(missed));
      if (availableCents !== undefined) await attend({ domain_name, availableCents });
    }
}

/** Does what is due for one domain. A domain that cannot be worked on keeps no other one waiting. */
async function attendDomain(round: Round, due: AttendedDomain): Promise<readonly Step[]> {
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
async function endStep(
  { ends, logger, isTimeTrusted = () => true }: LifeCycleOptions,
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
  { commands, clock }: LifeCycleOptions,
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
async function askStaff(options: LifeCycleOptions, domain: RegisteredDomain): Promise<undefined> {
  await requestStaffTicket(options, staffTickets.renewalYearsLate(domain), "domain-service");
}

async function renew(
  { renewals }: LifeCycleOptions,
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
  { commands, clock }: LifeCycleOptions,
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
