import type { DomainEvent, EventCodec, Process } from "@hostledger/core";

/** Caller and request for which a run acts: stored in the metadata of every event of the run. */
export interface RunContext {
  readonly correlationId: string;
  readonly actor: string;
  readonly requestId?: string;
  readonly idempotencyKey?: string;
}

/** A run's next step. `perform` carries out the step and returns the resulting input. */
export type NextStep<Input> =
  /** A command to one of our own aggregates: safe to repeat, hence no record is needed before it. Throws on technical failure. */
  | { readonly kind: "send"; perform(): Promise<Input> }
  /** A command after which no later owner may go another way: the run's events are stored before it. */
  | { readonly kind: "compensate"; perform(): Promise<Input> }
  /**
   * A request to a provider: the run's events are stored before it. It answers with an input whatever happens (what came
   * of it may be "unknown"); one that throws suspends the run.
   */
  | {
      readonly kind: "call";
      /**
       * True if no provider was called for this run so far. A process that takes the run over while its stream is
       * empty must assume that the call was made. The events are stored together with the answer, or after a delay
       * if the answer takes long.
       */
      readonly isFirst?: boolean;
      readonly notBefore?: string | undefined;
      /** Maximum wait until that instant in milliseconds, whatever the clock says. Default: no limit. */
      readonly longestPauseMs?: number;
      perform(): Promise<Input>;
    }
  /** Wait for staff. */
  | { readonly kind: "suspend" }
  /** Nothing more. */
  | { readonly kind: "complete" };

/** A process together with the effects that carry out its actions. */
export interface ProcessDefinition<State, Input, Event extends DomainEvent> {
  readonly process: Process<State, Input, Event>;
  readonly codec: EventCodec<Event>;
  next(state: State, runId: string, context: RunContext): NextStep<Input>;
  /** The input that says: another process took the run over. */
  resumed(at: string): Input;
  /** The input that says: the step failed again and again for a technical reason. */
  failed(reason: string, at: string): Input;
}
