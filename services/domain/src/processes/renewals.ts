import {
  domainCodec,
  renewalAnswer,
  type DomainRenewalStarted,
  type Rejection,
  type RenewalAnswer,
  type RenewalEvent,
  type RenewalInput,
  type RenewalState,
  type StartRenewal,
} from "@hostledger/core";
import { decodeEvent, type EventStore } from "@hostledger/event-store";
import type { Leases } from "@hostledger/leases";
import {
  createRunKeeper,
  RunSuspendedError,
  type FirstStep,
  type RunContext,
  type RunKeeper,
  type UnfinishedRun,
} from "@hostledger/process-manager";
import type { Clock, Ids, Logger } from "@hostledger/runtime";

import { domainAggregate, priceListAggregate } from "../aggregates.ts";
import type { DomainQueries } from "../queries/domain.queries.ts";
import { renewalRunnable, type RenewalHands } from "./renewal.runnable.ts";

/** What renewals are made of. */
export interface RenewalsOptions extends RenewalHands {
  readonly store: EventStore;
  /** Says which of several processes drives a run. Left out where there is one. */
  readonly leases?: Leases;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly logger: Logger;
  readonly queries: Pick<DomainQueries, "unfinishedRuns">;
  readonly recordedBy: string;
  /** Net price of a year in cents (EUR) where the extension is no longer sold (contract, "Money rules"). */
  readonly fallbackYearNetCents: bigint;
}

/** A renewal that somebody wants. */
export type RenewalWish = Omit<StartRenewal["data"], "yearNetCents" | "at"> & { readonly name: string };

/** What came of it: the run's answer, or the refusal to begin it. */
export type RenewalOutcome = RenewalAnswer | { readonly kind: "refused"; readonly rejection: Rejection };

/** The renewals that are under way in this process. */
export interface Renewals {
  /** False while this process drives as many runs as it may: a new renewal would find no driver. */
  readonly hasRoom: boolean;
  /** Begins a renewal and waits for what comes of it; one that was begun before is gone on with, never begun again. */
  renew(wish: RenewalWish, context: RunContext): Promise<RenewalOutcome>;
  /** What came of a renewal that was begun before; undefined where its run has no fact yet. */
  recall(renewalId: string): Promise<RenewalAnswer | undefined>;
  /** Net price of a year in cents (EUR): the price list's, or the fallback. */
  yearNetCentsOf(name: string): Promise<bigint>;
  /** Staff's word to a parked run. @returns false when it is not parked. */
  interrupt(
    runId: string,
    input: { type: "retried" } | { type: "abandoned"; reason: string },
  ): Promise<boolean>;
  /** Takes over unfinished runs: all at once first, then whatever is left without a driver. */
  adopt(signal: AbortSignal): Promise<void>;
  stop(): Promise<void>;
}

/** Creates the keeper of renewals. */
export function createRenewals(options: RenewalsOptions): Renewals {
  const { store, clock, ids, logger, queries, recordedBy, leases } = options;
  const keeper = createRunKeeper<RenewalState, RenewalInput, RenewalEvent>({
    store,
    clock,
    logger,
    recordedBy,
    owner: ids.uuid(),
    runnable: renewalRunnable(options),
    unfinished: async (limit) => {
      const rows = await queries.unfinishedRuns(limit);
      return rows.filter(({ process }) => process === "renewal");
    },
    beginning: (run) => findBeginning(store, clock, run),
    ...(leases === undefined ? {} : { leases }),
  });
  return new KeptRenewals(options, keeper);
}

class KeptRenewals implements Renewals {
  readonly #options: RenewalsOptions;
  readonly #keeper: RunKeeper<RenewalState, RenewalInput>;

  constructor(options: RenewalsOptions, keeper: RunKeeper<RenewalState, RenewalInput>) {
    this.#options = options;
    this.#keeper = keeper;
  }

  get hasRoom(): boolean {
    return this.#keeper.hasRoom;
  }

  async renew({ name, ...wish }: RenewalWish, context: RunContext): Promise<RenewalOutcome> {
    const { commands, clock } = this.#options;
    const yearNetCents = String(await this.yearNetCentsOf(name));
    const begun = await commands.execute(
      domainAggregate,
      name,
      { type: "StartRenewal", data: { ...wish, yearNetCents, at: clock.now() } },
      { ...context, commandId: `${wish.renewalId}/StartRenewal` },
    );
    if (!begun.accepted) return { kind: "refused", rejection: begun.rejection };
    // Nothing was added: it was begun before, and its run may be anywhere.
    const known = begun.events.length === 0 ? await this.recall(wish.renewalId) : undefined;
    if (known !== undefined) return known;
    const renewal = begun.state.status === "registered" ? begun.state.domain.renewal : null;
    if (renewal?.renewalId !== wish.renewalId)
      return { kind: "unsettled", reason: "The renewal goes on elsewhere" };
    return unsettledWhenSuspended(() => {
      this.#keeper.start(renewal.renewalId, { type: "started", renewal, at: clock.now() }, context);
      return this.#keeper.until(renewal.renewalId, renewalAnswer);
    });
  }

  recall(renewalId: string): Promise<RenewalAnswer | undefined> {
    return unsettledWhenSuspended(() => this.#keeper.recall(renewalId, renewalAnswer));
  }

  async yearNetCentsOf(name: string): Promise<bigint> {
    const { commands, fallbackYearNetCents } = this.#options;
    const tld = name.slice(name.indexOf(".") + 1);
    const { state } = await commands.load(priceListAggregate, tld);
    return state.status === "priced" && state.active ? state.renewalCents : fallbackYearNetCents;
  }

  interrupt(
    runId: string,
    input: { type: "retried" } | { type: "abandoned"; reason: string },
  ): Promise<boolean> {
    return this.#keeper.interrupt(runId, { ...input, at: this.#options.clock.now() });
  }

  adopt(signal: AbortSignal): Promise<void> {
    return this.#keeper.adopt(signal);
  }

  stop(): Promise<void> {
    return this.#keeper.stop();
  }
}

/** A run that cannot be followed here goes on elsewhere or later: its outcome is not known here. */
async function unsettledWhenSuspended<Answer>(
  follow: () => Promise<Answer>,
): Promise<Answer | { readonly kind: "unsettled"; readonly reason: string }> {
  try {
    return await follow();
  } catch (error) {
    if (error instanceof RunSuspendedError) return { kind: "unsettled", reason: error.message };
    throw error;
  }
}

/** The fact on the name's stream that began a run, with the request it was for. */
async function findBeginning(
  store: EventStore,
  clock: Clock,
  { run, subject }: UnfinishedRun,
): Promise<FirstStep<RenewalInput> | undefined> {
  const isIt = (renewal: DomainRenewalStarted["data"]): boolean => renewal.renewalId === run;
  for await (const recorded of store.read(`domain-${subject}`)) {
    const { event, metadata } = decodeEvent(domainCodec, recorded);
    if (event.type === "DomainRenewalStarted" && isIt(event.data))
      return { input: { type: "started", renewal: event.data, at: clock.now() }, context: metadata };
  }
  return undefined;
}
