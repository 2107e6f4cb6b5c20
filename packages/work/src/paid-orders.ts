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

/** What the runs of one kind of paid order are made of. */
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
  /** How long a provider that says "I hold nothing" after silence is given before that counts, in milliseconds. */
  readonly quietMs: number;
}

/** What every service gives its runs; which provider they ask is its own. */
export type RunParts = Omit<
  PaidOrdersOptions<never, never, never>,
  "paidOrder" | "askRegistrar" | "askCompute"
>;

/** Staff's word to a suspended run. */
export type StaffWord =
  | { readonly type: "retried" }
  | { readonly type: "abandoned"; readonly reason: string };

/** What a run answered; what it is about is not known where it cannot be followed here. */
export interface AnsweredOrder<Subject, Held> {
  readonly subject: Subject | undefined;
  readonly answer: PaidOrderAnswer<Held>;
}

/** The runs of one kind of paid order. */
export interface PaidOrders<Subject, Held> {
  /** Category of the runs' streams. */
  readonly category: string;
  /** Takes over runs that nobody drives; for an engine whose rounds run in every process. */
  readonly work: AnyWorkKind;
  /** False while this process drives as many runs as it may: a new one would find no driver. */
  readonly hasRoom: boolean;
  /**
   * Begins a run, or joins it, and waits for what it answers: `unsettled` where it cannot be followed here and goes on by
   * itself. What it is about is told by the run: somebody else may have begun it, about another.
   */
  begin(runId: string, subject: Subject, context: RunContext): Promise<AnsweredOrder<Subject, Held>>;
  /**
   * Waits for the answer of a run that may have been begun, and answered, before: a repeated request gets its first answer.
   * @param on what the run works on, where its beginning is looked for there; the run may have no event yet.
   * @returns undefined when there is no such run.
   */
  recall(runId: string, on?: string): Promise<AnsweredOrder<Subject, Held> | undefined>;
  /** @returns false when the run is not suspended. */
  interrupt(runId: string, word: StaffWord): Promise<boolean>;
  /** Ends the pause before a run's next call to a provider, where it is driven here; elsewhere its schedule holds. */
  hasten(runId: string): void;
  /** Stops following runs. The engine stops too, so that each run ends with the step in hand. */
  stop(): Promise<void>;
}

/** Reads the events that begin runs. */
const beginningsCodec = eventCodec({ ...domainEvents, ...serverEvents });

/** Drives the runs of a paid order. */
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

  /** The event that began a run whose own stream has nothing yet, with the request it was for. */
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
 * Begins what a request is for unless the request began it before: it may have been sent twice, or again after a connection
 * broke, and its other copy may still be at work. So its own run is looked for before all checks, and again where one of
 * them refuses: what stands in the way may be its own order, and then that run has the answer. A request that cannot have
 * come before has no run, and none is looked for: its run's first append proves that.
 *
 * @throws what `begin` threw, where no run of the request is there.
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

/** What an order takes, and what its account has, in cents (EUR). */
export interface Demand {
  readonly requiredCents: bigint;
  readonly availableCents: bigint;
  /** Fields of the account's profile that its taxes need. */
  readonly missing: readonly string[];
}

/**
 * Refuses an order whose taxes need more of the profile, and one that the balance does not cover, by the account as its API key was just looked up with: what is charged is decided by the
 * charge itself.
 *
 * @param demandOf by the account as it was so many milliseconds ago at most.
 * @throws ConnectError `profile-incomplete`, `insufficient-balance`, or what `demandOf` throws.
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
