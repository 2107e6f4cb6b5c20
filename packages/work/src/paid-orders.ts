import {
  domainEvents,
  eventCodec,
  paidOrder,
  profileIncomplete,
  rejection,
  serverEvents,
  type DomainEvent,
  type PaidOrderAnswer,
  type PaidOrderDefinition,
  type PaidOrderInput,
  type PaidOrderState,
} from "@hostledger/core";
import { eventsOf, lastingRefusal } from "@hostledger/store";
import { rejectionError, type RequestContext } from "@hostledger/rpc";

import type { AnyWorkKind } from "./engine/work-kind.ts";
import { paidOrderDefinition, type PaidOrderEffects } from "./paid-order-effects.ts";
import type { RunContext } from "./process-definition.ts";
import type { RunQueries } from "./process-runs.ts";
import { RunOutOfSightError } from "./run-in-hand.ts";
import type { FirstStep } from "./run-journal.ts";
import { RunWork, type RunWorkOptions } from "./run-work.ts";
import type { UnfinishedRun } from "./unfinished-runs.ts";

export interface PaidOrdersOptions<Subject, Held, Event extends DomainEvent>
  extends
    PaidOrderEffects<Held>,
    Omit<
      RunWorkOptions<PaidOrderState<Subject, Held>, PaidOrderInput<Subject, Held>, Event>,
      "clock" | "definition" | "beginning" | "name" | "owner" | "runById" | "unfinished"
    > {
  readonly clock: RunWorkOptions<never, never, never>["clock"];
  readonly ids: { uuid(): string };
  readonly queries: Pick<RunQueries, "runById" | "runsToDrive">;
  readonly paidOrder: PaidOrderDefinition<Subject, Held, Event>;
  /** Quiet period before a provider's "I hold nothing" after an unanswered order counts, in milliseconds. */
  readonly quietMs: number;
}

/** Options that every service passes to its runs, without those for its own providers. */
export type RunParts = Omit<
  PaidOrdersOptions<never, never, never>,
  "paidOrder" | "askRegistrar" | "askCompute"
>;

/** Staff's word to a suspended run. */
export type StaffWord =
  | { readonly type: "retried" }
  | { readonly type: "abandoned"; readonly reason: string };

/** Answer of a run. The subject is undefined if the run cannot be followed in this process. */
export interface AnsweredOrder<Subject, Held> {
  readonly subject: Subject | undefined;
  readonly answer: PaidOrderAnswer<Held>;
}

export interface PaidOrders<Subject, Held> {
  readonly category: string;
  /** Takes over runs without a driver; for an engine whose rounds run in every process. */
  readonly work: AnyWorkKind;
  /** False while this process drives as many runs as it may: a new one would find no driver. */
  readonly hasRoom: boolean;
  /**
   * Begins or joins a run, and waits for its answer: `unsettled` if the run cannot be followed here and continues on
   * its own. The answer names the run's subject, because another caller may have begun the run with another subject.
   */
  begin(runId: string, subject: Subject, context: RunContext): Promise<AnsweredOrder<Subject, Held>>;
  /**
   * Waits for the answer of a run that an earlier copy of the request may have begun, so that a repeated request
   * gets its first answer.
   * @param on subject on whose stream the run's beginning is searched; the run may have no event yet.
   * @returns undefined if there is no such run.
   */
  recall(runId: string, on?: string): Promise<AnsweredOrder<Subject, Held> | undefined>;
  /** @returns false when the run is not suspended. */
  interrupt(runId: string, word: StaffWord): Promise<boolean>;
  /** Ends the pause before a run's next call to a provider, where it is driven here; elsewhere its schedule holds. */
  hasten(runId: string): void;
  /** Stops following runs. The engine also stops, so each run ends with its current step. */
  stop(): Promise<void>;
}

const beginningsCodec = eventCodec({ ...domainEvents, ...serverEvents });

export function createPaidOrders<Subject, Held, Event extends DomainEvent>({
  paidOrder: definition,
  ids,
  queries,
  quietMs,
  ...options
}: PaidOrdersOptions<Subject, Held, Event>): PaidOrders<Subject, Held> {
  type State = PaidOrderState<Subject, Held>;
  const { clock, store } = options;
  const { begins, payer, name } = definition;
  const process = paidOrder(definition, { quietMs });

  /** Returns the event that began a run whose own stream is still empty, with its request. */
  async function beginning(
    { run, subject: about }: Pick<UnfinishedRun, "run" | "subject">,
    { stream, by }: NonNullable<typeof begins>,
  ): Promise<FirstStep<PaidOrderInput<Subject, Held>> | undefined> {
    for await (const { event, metadata: context } of eventsOf(store, stream(about), beginningsCodec)) {
      const subject = by(event);
      if (subject !== undefined && payer(subject).chargeId === run)
        return { input: { type: "begun", subject, again: true, at: clock.now() }, context };
    }
    return undefined;
  }

  const runs = new RunWork<State, PaidOrderInput<Subject, Held>, Event>({
    ...options,
    name,
    owner: ids.uuid(),
    definition: paidOrderDefinition(process, options),
    unfinished: (after, limit) => queries.runsToDrive(name, after, limit),
    runById: (run) => queries.runById(run),
    ...(begins === undefined ? {} : { beginning: (run) => beginning(run, begins) }),
  });

  function answered(state: State): AnsweredOrder<Subject, Held> | undefined {
    const answer = process.answer(state);
    return answer === undefined || state.status === "new" ? undefined : { subject: state.subject, answer };
  }

  return {
    category: definition.category,
    work: runs.work,
    get hasRoom() {
      return runs.hasRoom;
    },
    begin: (runId, subject, context) =>
      orUnsettled(() => {
        runs.start(runId, { type: "begun", subject, at: clock.now() }, context);
        return runs.until(runId, answered);
      }),
    recall: (runId, on) => orUnsettled(() => runs.recall(runId, answered, on)),
    interrupt: (runId, word) => runs.interrupt(runId, { ...word, at: clock.now() }),
    hasten: (runId) => {
      runs.hasten(runId);
    },
    stop: () => runs.stop(),
  };
}

/**
 * Runs `begin` unless an earlier copy of the request has begun its run: a client may send a request twice, or again
 * after a broken connection, while the first copy is still running. The run is searched before all checks, and again
 * after a refusal, because the request's own order may have caused the refusal. A request that cannot be a repeat
 * skips the search; its run's first append proves that.
 * @throws Every error of `begin` if the request has no run.
 */
export async function unlessBegun<Begun, Answer>(
  { isRepeatable }: Pick<RequestContext, "isRepeatable">,
  recall: () => Promise<Answer | undefined>,
  begin: () => Promise<Begun>,
): Promise<{ readonly earlier: Answer } | { readonly begun: Begun }> {
  if (!isRepeatable) return { begun: await begin() };
  const earlier = await recall();
  if (earlier !== undefined) return { earlier };
  try {
    return { begun: await begin() };
  } catch (error) {
    const other = await recall();
    if (other === undefined) throw error;
    return { earlier: other };
  }
}

/** @throws ConnectError `overloaded` while this process drives as many runs as it may: before anything is promised. */
export function refuseWithoutRoom({ hasRoom }: Pick<PaidOrders<unknown, unknown>, "hasRoom">): void {
  if (!hasRoom) throw rejectionError(rejection("overloaded", undefined, { retryAfterSeconds: 1 }));
}

/** Price of an order and balance of its account, in cents (EUR). */
export interface Demand {
  readonly requiredCents: bigint;
  readonly availableCents: bigint;
  /** Fields of the account's profile that its taxes need. */
  readonly missing: readonly string[];
}

/**
 * Refuses an order whose taxes need more fields of the profile, or whose price exceeds the balance. The check uses
 * the cached account; the charge itself decides finally.
 * @param demandOf reads price and balance from a state of at most the given age in milliseconds.
 * @throws ConnectError `profile-incomplete`, `insufficient-balance`, or an error of `demandOf`.
 */
export async function refuseUncovered(demandOf: (maxAgeMs: number) => Promise<Demand>): Promise<void> {
  const refusal = await lastingRefusal(
    async (maxAgeMs) => ({ state: await demandOf(maxAgeMs) }),
    ({ requiredCents, availableCents, missing }) => {
      if (missing.length > 0) return profileIncomplete(missing);
      if (requiredCents <= availableCents) return undefined;
      return rejection("insufficient-balance", undefined, { requiredCents, availableCents });
    },
  );
  if (refusal !== undefined) throw rejectionError(refusal);
}

/** A run that cannot be followed here goes on elsewhere or later: its outcome is not known here. */
async function orUnsettled<Answered>(
  follow: () => Promise<Answered>,
): Promise<Answered | AnsweredOrder<never, never>> {
  try {
    return await follow();
  } catch (error) {
    if (!(error instanceof RunOutOfSightError)) throw error;
    return { subject: undefined, answer: { kind: "unsettled", reason: error.message } };
  }
}
