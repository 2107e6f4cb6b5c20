import {
  domainAggregate,
  endTermsOf,
  rejection,
  extensionOf,
  priceListAggregate,
  pricesAt,
  type ExtensionLifeCycle,
  type Rejection,
  type StartRenewal,
} from "@hostledger/core";
import type { CommandHandler } from "@hostledger/store";
import type { RunContext } from "@hostledger/work";
import type { Registrar, Registrars } from "@hostledger/providers";
import { defined, type Clock } from "@hostledger/runtime";

import type { RenewalAnswer, RenewalRuns } from "./domain-runs.ts";

export interface RenewalsOptions {
  readonly commands: CommandHandler;
  readonly clock: Clock;
  /** Clock by which prices take effect. */
  readonly agreedClock: Pick<Clock, "now">;
  readonly runs: RenewalRuns;
  /** Asked before an automatic renewal is charged. */
  readonly registrars: Pick<Registrars, "of">;
  /** Net price of a year in cents (EUR) where the extension is no longer sold (contract, "Money rules"). */
  readonly fallbackYearNetCents: bigint;
}

/** A renewal that somebody wants. */
export type RenewalRequest = Omit<StartRenewal["data"], "yearNetCents" | "lifeCycle" | "at"> & {
  readonly name: string;
};

/** Outcome of a renewal: the run's answer, or the refusal to begin the run. */
export type RenewalOutcome = RenewalAnswer | { readonly kind: "not-begun"; readonly rejection: Rejection };

/** Terms of a renewal. */
export interface RenewalTerms {
  /** Net price of a year in cents (EUR): the price list's, or the fallback; of a restoration, its own. */
  readonly yearNetCents: bigint;
  readonly lifeCycle: ExtensionLifeCycle;
}

/** The renewals of domains: begun on the name's stream, then driven. */
export interface Renewals {
  /** False while this process drives as many runs as it may: a new renewal would find no driver. */
  readonly hasRoom: boolean;
  /** Begins a renewal and waits for its outcome. A renewal that was begun before continues and is never begun twice. */
  renew(requested: RenewalRequest, context: RunContext): Promise<RenewalOutcome>;
  /** Returns the answer of a renewal that was begun before; undefined if its run has no event yet. */
  recall(renewalId: string): Promise<RenewalAnswer | undefined>;
  /** Returns the present terms of the extension; undefined if it sells no restorations. */
  termsOf(requested: Pick<RenewalRequest, "name" | "restoration">): Promise<RenewalTerms | undefined>;
}

/** Of an extension without a price for it. */
export const notSold = rejection("not-restorable", "No restorations are sold for the domain's extension.");

export function createRenewals(options: RenewalsOptions): Renewals {
  const { commands, clock, agreedClock, runs, registrars, fallbackYearNetCents } = options;
  const recall = async (renewalId: string): Promise<RenewalAnswer | undefined> =>
    (await runs.recall(renewalId))?.answer;

  async function termsOf({
    name,
    restoration,
  }: Pick<RenewalRequest, "name" | "restoration">): Promise<RenewalTerms | undefined> {
    const list = await commands.load(priceListAggregate, extensionOf(name));
    const state = pricesAt(list.state, agreedClock.now());
    const isSold = state.status === "priced" && state.active;
    const { restoreCents, ...lifeCycle } = endTermsOf(state);
    const renewalCents = isSold ? state.renewalCents : fallbackYearNetCents;
    const yearNetCents = restoration ? restoreCents : renewalCents;
    return yearNetCents === null ? undefined : { yearNetCents, lifeCycle };
  }

  return {
    get hasRoom() {
      return runs.hasRoom;
    },
    async renew({ name, ...requested }, context) {
      const objection = requested.automatic ? await objectionTo(await registrars.of(name), name) : undefined;
      if (objection !== undefined) return forgo(options, { name, ...requested }, objection, context);
      const terms = await termsOf({ name, ...requested });
      if (terms === undefined) return { kind: "not-begun", rejection: notSold };
      const { yearNetCents, lifeCycle } = terms;
      const order = { ...requested, yearNetCents: String(yearNetCents), lifeCycle };
      const begun = await commands.execute(
        domainAggregate,
        name,
        { type: "StartRenewal", data: { ...order, at: clock.now() } },
        { ...context, commandId: `${requested.renewalId}/StartRenewal` },
      );
      if (!begun.accepted) return { kind: "not-begun", rejection: begun.rejection };
      // No event was added, so the renewal was begun before, and any process may drive its run.
      const known = begun.events.length === 0 ? await recall(requested.renewalId) : undefined;
      if (known !== undefined) return known;
      const renewal = begun.state.status === "registered" ? begun.state.domain.renewal : null;
      if (renewal?.renewalId !== requested.renewalId)
        return { kind: "unsettled", reason: "The renewal goes on elsewhere" };
      const { answer } = await runs.begin(renewal.renewalId, renewal, context);
      return answer;
    },
    recall,
    termsOf,
  };
}

/**
 * Returns the reason why the registrar would refuse to renew a name.
 * @returns undefined if the registrar allows the renewal or does not say; the order then shows the answer.
 */
async function objectionTo(registrar: Registrar, name: string): Promise<string | undefined> {
  const answer = await registrar.inquire(name);
  if (answer.outcome === "unknown") return undefined;
  if (answer.outcome === "refused") return answer.message;
  if (!answer.value.held) return "The registrar does not hold the name";
  return answer.value.domain.isRenewalForbidden === true ? "The registry forbids its renewal" : undefined;
}

/** A try that the registrar would refuse has failed: no invoice is made only to be corrected. */
async function forgo(
  { commands, clock }: RenewalsOptions,
  { name, renewalId, availableCents }: RenewalRequest,
  reason: string,
  context: RunContext,
): Promise<RenewalOutcome> {
  const data = { renewalId, ...defined({ availableCents }), at: clock.now() };
  const forgone = await commands.execute(
    domainAggregate,
    name,
    { type: "ForgoRenewal", data },
    { ...context, commandId: `${renewalId}/ForgoRenewal` },
  );
  if (!forgone.accepted) return { kind: "not-begun", rejection: forgone.rejection };
  return { kind: "failed", reason, code: null };
}
