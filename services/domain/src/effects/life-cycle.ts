import { addMilliseconds } from "@hostledger/core";
import type { Accounts } from "@hostledger/event-store";
import { createPayers } from "@hostledger/process-manager";
import { isAborted, pagesById } from "@hostledger/runtime";

import {
  fromTheFirst,
  type DueDomain,
  type DuePage,
  type LifeCycleQueries,
} from "../reads/life-cycle.queries.ts";
import {
  attendDomain,
  endStep,
  type AttendedDomain,
  type DueWork,
  type Step,
  type StepOptions,
} from "./life-cycle-steps.ts";

/** What the worker is made of. */
export interface LifeCycleOptions extends StepOptions {
  readonly queries: LifeCycleQueries;
  readonly accounts: Pick<Accounts, "find">;
  /** How long the worker rests between two rounds, in milliseconds. Default 30 s. */
  readonly intervalMs?: number;
}

/** Renews and expires domains as time goes by. */
export interface LifeCycle {
  /** Does everything that is due now. Several may run at once, here and elsewhere: nothing is done twice. */
  runDueWork(signal?: AbortSignal): Promise<DueWork>;
  /** Does what is due, again and again, until the signal aborts. */
  run(signal: AbortSignal): Promise<void>;
}

const defaultIntervalMs = 30_000;

/** How long the worker rests after a round in which it tried something. */
const afterWorkMs = 1_000;

const dayMs = 86_400_000;

/** Domains read at a time, and worked on at a time. */
const pageSize = 200;
const concurrency = 16;

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
