import type { DomainEvent } from "@hostledger/core";
import type { EventStore } from "@hostledger/store";
import type { Leases } from "./leases/index.ts";
import type { Tracing } from "@hostledger/runtime";
import type { Timing } from "@hostledger/runtime/async";

import type { RunContext, ProcessDefinition } from "./process-definition.ts";

/** What a process manager is made of. */
export interface ProcessManagerOptions<State, Input, Event extends DomainEvent> {
  readonly store: EventStore;
  readonly definition: ProcessDefinition<State, Input, Event>;
  readonly clock: Timing & { now(): string; epochMilliseconds(): number };
  readonly recordedBy: string;
  /** Names this process among the owners of runs. */
  readonly owner: string;
  readonly logger: {
    error(fields: object, message: string): void;
    info(fields: object, message: string): void;
  };
  /**
   * Says which of several processes over one store drives a run; a lease has the run's id for its name. Left out where
   * one process has the store for itself.
   */
  readonly leases?: Leases;
  /** Where a collector wants to know what runs do. */
  readonly tracing?: Tracing;
  /** Runs in memory at a time. Default 20,000. */
  readonly activeLimit?: number;
  /** Technical failures of one step before the run is suspended. Default 20, waiting up to 5 s: about a minute. */
  readonly stepAttempts?: number;
}

/**
 * Drives the runs of one kind of process: asks the process what to do next, does it, feeds back what came of it, and
 * keeps the run's events on the run's own stream. Events are stored before a provider is called, before anything is
 * undone, and when the run is suspended or completes; a run that was cut off in between repeats only what is safe to repeat.
 * A first call is stored with its answer (`NextStep`).
 */
export interface ProcessManager<State, Input> {
  /** Begins a run with its first input; one that is active already is left as it is. @throws RunOutOfSightError too many runs. */
  start(runId: string, input: Input, context: RunContext): void;
  /** Takes over a run whose stream has something and that nobody else drives. @returns false when it has nothing. */
  takeUp(runId: string): Promise<boolean>;
  /**
   * Waits until `select` finds something in the state of a run that was begun before: here, by a process that died, or
   * long ago. A request that is repeated gets its first answer so. A run that another process drives is followed on its
   * stream, and taken over when that process gives it up or dies.
   * @returns undefined when there is no such run.
   * @throws RunOutOfSightError the run stops here without an answer, or too many runs are active.
   */
  recall<Answer>(runId: string, select: Select<State, Answer>): Promise<Answer | undefined>;
  /** Gives staff's word to a suspended run. @returns false when the run is not suspended. */
  interrupt(runId: string, input: Input): Promise<boolean>;
  /** Ends the pause before a run's next call to a provider, where it is driven here; elsewhere its schedule holds. */
  hasten(runId: string): void;
  /** Waits until `select` finds something in the run's stored state. Rejects when the run stops here without it. */
  until<Answer>(runId: string, select: Select<State, Answer>): Promise<Answer>;
  isActive(runId: string): boolean;
  readonly activeRuns: number;
  /** False while as many runs are active, or leases held, as may be: ask before anything is promised. */
  readonly hasRoom: boolean;
  /** Lets every run finish the step in hand, then stops. Unfinished runs go on when they are resumed. */
  stop(): Promise<void>;
}

/** Looks for an answer in a run's state; undefined while there is none. */
export type Select<State, Answer> = (state: State) => Answer | undefined;

/** A run cannot be followed here any longer; it goes on later, here or elsewhere. (`suspended` is one that waits for staff.) */
export class RunOutOfSightError extends Error {
  override readonly name = "RunOutOfSightError";
}
