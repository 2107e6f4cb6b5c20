import type { DomainEvent, EventCodec, Process } from "@hostledger/core";

/** Who and what a run acts for: it goes into the metadata of every fact the run causes. */
export interface RunContext {
  readonly correlationId: string;
  readonly actor: string;
  readonly requestId?: string;
  readonly idempotencyKey?: string;
}

/** A run's next step, ready to be carried out. `perform` answers with the input that came of it. */
export type NextStep<Input> =
  /** A command to one of our own aggregates: safe to repeat, hence no record is needed before it. Throws on technical failure. */
  | { readonly kind: "send"; perform(): Promise<Input> }
  /** The first command of a run that only its own stream tells of: the run's facts are stored before it. */
  | { readonly kind: "begin"; perform(): Promise<Input> }
  /** A command that undoes: the run's facts are stored before it, so that no later owner goes another way. */
  | { readonly kind: "compensate"; perform(): Promise<Input> }
  /**
   * A request to another party: the run's facts are stored before it. It answers with an input whatever happens (what
   * came of it may be "unknown"); one that throws parks the run.
   */
  | { readonly kind: "call"; readonly notBefore?: string; perform(): Promise<Input> }
  /** Wait for staff. */
  | { readonly kind: "park" }
  /** Nothing more. */
  | { readonly kind: "complete" };

/** A process together with the hands that carry out its reactions. */
export interface RunnableProcess<State, Input, Event extends DomainEvent> {
  readonly process: Process<State, Input, Event>;
  readonly codec: EventCodec<Event>;
  next(state: State, runId: string, context: RunContext): NextStep<Input>;
  /** The input that says: another process took the run over. */
  resumed(at: string): Input;
  /** The input that says: the step failed again and again for a technical reason. */
  failed(reason: string, at: string): Input;
}
