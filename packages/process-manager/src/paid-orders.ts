import {
  paidOrder,
  type DomainEvent,
  type EventCodec,
  type PaidOrderAnswer,
  type PaidOrderDefinition,
  type PaidOrderInput,
  type PaidOrderState,
} from "@hostledger/core";

import { RunOutOfSightError } from "./managed-process.ts";
import { paidOrderDefinition, type PaidOrderEffects } from "./paid-order-effects.ts";
import type { RunContext } from "./process-definition.ts";
import { createRunSupervisor, type RunSupervisorOptions, type UnfinishedRun } from "./run-supervisor.ts";

/** What the runs of one kind of paid order are made of. */
export interface PaidOrdersOptions<Subject, Held, Event extends DomainEvent> extends Omit<
  RunSupervisorOptions<PaidOrderState<Subject, Held>, PaidOrderInput<Subject, Held>, Event>,
  "definition" | "beginning"
> {
  readonly paidOrder: PaidOrderDefinition<Subject, Held, Event>;
  readonly codec: EventCodec<Event>;
  readonly effects: PaidOrderEffects<Held>;
  /** How long a provider that says "I hold nothing" after silence is given before that counts, in milliseconds. */
  readonly quietMs: number;
  /** What began a run whose stream has nothing yet. Left out where its own stream is the first to tell of it. */
  readonly beginning?: (
    run: Pick<UnfinishedRun, "run" | "subject">,
  ) => Promise<{ readonly subject: Subject; readonly context: RunContext } | undefined>;
}

/** Staff's word to a suspended run. */
export type StaffWord =
  { readonly type: "retried" } | { readonly type: "abandoned"; readonly reason: string };

/** What a run answered; what it is about is not known where it cannot be followed here. */
export interface AnsweredOrder<Subject, Held> {
  readonly subject: Subject | undefined;
  readonly answer: PaidOrderAnswer<Held>;
}

/** The runs of one kind of paid order. */
export interface PaidOrders<Subject, Held> {
  /** False while this process drives as many runs as it may: a new one would find no driver. */
  readonly hasRoom: boolean;
  /**
   * Begins a run, or joins it, and waits for what it answers: `unsettled` where it cannot be followed here and goes on by
   * itself. What it is about is told by the run: somebody else may have begun it, about another.
   */
  begin(runId: string, subject: Subject, context: RunContext): Promise<AnsweredOrder<Subject, Held>>;
  /**
   * Waits for the answer of a run that may have been begun, and answered, before: a repeated request gets its first answer.
   * @param on what the run works on, where its beginning is looked for there; the run may have no fact yet.
   * @returns undefined when there is no such run.
   */
  recall(runId: string, on?: string): Promise<AnsweredOrder<Subject, Held> | undefined>;
  /** @returns false when the run is not suspended. */
  interrupt(runId: string, word: StaffWord): Promise<boolean>;
  /** Takes over unfinished runs until the signal aborts: all at once first, then whatever is left without a driver. */
  resumeOrphaned(signal: AbortSignal): Promise<void>;
  /** Lets every run finish the step in hand, then stops. */
  stop(): Promise<void>;
}

/** Drives the runs of a paid order. */
export function createPaidOrders<Subject, Held, Event extends DomainEvent>({
  paidOrder: definition,
  codec,
  effects,
  quietMs,
  beginning,
  ...options
}: PaidOrdersOptions<Subject, Held, Event>): PaidOrders<Subject, Held> {
  type State = PaidOrderState<Subject, Held>;
  const { clock } = options;
  const process = paidOrder(definition, { quietMs });
  const firstStep = async (run: Pick<UnfinishedRun, "run" | "subject">) => {
    const found = await beginning?.(run);
    if (found === undefined) return undefined;
    const { subject, context } = found;
    return { input: { type: "begun" as const, subject, at: clock.now() }, context };
  };
  const supervisor = createRunSupervisor<State, PaidOrderInput<Subject, Held>, Event>({
    ...options,
    definition: paidOrderDefinition(process, codec, effects),
    ...(beginning === undefined ? {} : { beginning: firstStep }),
  });

  function answered(state: State): AnsweredOrder<Subject, Held> | undefined {
    const answer = process.answer(state);
    return answer === undefined || state.status === "new" ? undefined : { subject: state.subject, answer };
  }

  return {
    get hasRoom() {
      return supervisor.hasRoom;
    },
    begin: (runId, subject, context) =>
      orUnsettled(() => {
        supervisor.start(runId, { type: "begun", subject, at: clock.now() }, context);
        return supervisor.until(runId, answered);
      }),
    recall: (runId, on) => orUnsettled(() => supervisor.recall(runId, answered, on)),
    interrupt: (runId, word) => supervisor.interrupt(runId, { ...word, at: clock.now() }),
    resumeOrphaned: (signal) => supervisor.resumeOrphaned(signal),
    stop: () => supervisor.stop(),
  };
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
