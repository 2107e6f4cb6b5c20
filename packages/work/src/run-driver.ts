import { StoredEventError, type DomainEvent } from "@hostledger/core";
import type { Lease } from "./leases/index.ts";
import { Backoff, within } from "@hostledger/runtime/async";

import type { ProcessManagerOptions } from "./managed-process.ts";
import type { NextStep } from "./process-definition.ts";
import type { DrivenRun, RunJournal } from "./run-journal.ts";

/** Pauses between attempts at a step that fails for technical reasons. */
const stepBackoff = { firstMs: 50, longestMs: 5_000 };

/** A clock may be moved: a long wait looks at it again. */
const longestSleepMs = 60_000;

/** A first call that is not answered so soon is recorded meanwhile, in milliseconds: staff see where the run stands. */
const recordedAfterMs = 1_000;

/** Whoever waits for an answer of a run. */
interface Waiter<State> {
  offer(state: State): boolean;
  fail(error: Error): void;
}

/** A run that is driven or followed here. */
export interface ActiveRun<State, Event> extends DrivenRun {
  state: State;
  /** Another one for each time that the run is driven here. */
  driver: string;
  /** Held while the run is driven here; undefined without leases, before it is had, and once it is given back. */
  lease: Lease | undefined;
  /** The state as far as it is stored: whoever waits is told nothing else. */
  persisted: State;
  revision: bigint | undefined;
  generation: number;
  /** Events that are not stored yet. */
  unsaved: Event[];
  /** Aborts when somebody knows that the provider has something to say: a pause before a question ends. */
  hastened: AbortController;
  readonly waiters: Set<Waiter<State>>;
  finished: Promise<void>;
}

/** A step that leads to an input. */
type ActingStep<Input> = Extract<NextStep<Input>, { kind: "send" | "compensate" | "call" }>;

type CallStep<Input> = Extract<NextStep<Input>, { kind: "call" }>;

/** Drives runs from step to step: asks what is next, stores what is known, carries it out, and folds what came of it. */
export class RunDriver<State, Input, Event extends DomainEvent> {
  readonly #options: ProcessManagerOptions<State, Input, Event>;
  readonly #journal: RunJournal<State, Event>;
  readonly #stopping: AbortSignal;
  readonly #stepAttempts: number;

  /** @param stopping aborts when every run is to be left after the step in hand. */
  constructor(
    options: ProcessManagerOptions<State, Input, Event>,
    journal: RunJournal<State, Event>,
    stopping: AbortSignal,
  ) {
    this.#options = options;
    this.#journal = journal;
    this.#stopping = stopping;
    this.#stepAttempts = options.stepAttempts ?? 20;
  }

  /** Folds what an input adds. @returns false when it adds nothing. */
  #apply(run: ActiveRun<State, Event>, input: Input): boolean {
    const { process } = this.#options.definition;
    const events = process.decide(input, run.state);
    for (const event of events) {
      run.state = process.evolve(run.state, event);
      run.unsaved.push(event);
    }
    return events.length > 0;
  }

  /** Stores the events in hand, then tells whoever waits: an answer that was given holds after a crash, too. */
  async #save(run: ActiveRun<State, Event>): Promise<void> {
    if (run.unsaved.length === 0) return;
    run.revision = await this.#journal.append(run, run.unsaved);
    run.unsaved = [];
    this.#tell(run);
  }

  #tell(run: ActiveRun<State, Event>): void {
    run.persisted = run.state;
    for (const waiter of run.waiters) if (waiter.offer(run.persisted)) run.waiters.delete(waiter);
  }

  /** Gives the run an input and drives it until it ends, waits for staff, or has to be left. @throws WrongExpectedRevisionError */
  async driveToRest(run: ActiveRun<State, Event>, input: Input): Promise<void> {
    this.#apply(run, input);
    await this.#driveSteps(run);
    // A run that stops here with events in hand leaves them to whoever resumes it.
    await this.#save(run);
  }

  /** Takes what is stored for the state, and tells whoever waits. */
  async read(run: ActiveRun<State, Event>): Promise<void> {
    const generation = this.#journal.generation();
    const { state, revision } = await this.#journal.load(run.runId);
    run.generation = generation;
    run.state = state;
    run.revision = revision;
    run.unsaved = [];
    this.#tell(run);
  }

  async #driveSteps(run: ActiveRun<State, Event>): Promise<void> {
    while (!this.#mustEnd(run)) {
      const step = this.#options.definition.next(run.state, run.runId, run.context);
      const isFirstCall = step.kind === "call" && step.isFirst === true && run.revision === undefined;
      if (step.kind !== "send" && !isFirstCall) await this.#save(run);
      if (step.kind === "complete" || step.kind === "suspend") return;
      if (step.kind === "call" && !(await this.#isDue(run, step))) return;
      const input = await (isFirstCall ? this.#callFirst(run, step) : this.#perform(run, step));
      if (input === undefined) return;
      if (!this.#apply(run, input)) throw new Error("the process makes no progress on what came of its step");
    }
  }

  /**
   * Waits for the instant, and no longer than the longest pause: one that was stored under a clock that was ahead must not
   * hold the run up. @returns false when the manager stops first.
   */
  async #isDue(
    run: ActiveRun<State, Event>,
    { notBefore, longestPauseMs = Infinity }: CallStep<Input>,
  ): Promise<boolean> {
    if (notBefore === undefined) return true;
    const { clock } = this.#options;
    const dueMs = Date.parse(notBefore);
    for (let leftMs = longestPauseMs; !this.#mustEnd(run);) {
      const waitMs = Math.min(dueMs - clock.epochMilliseconds(), leftMs, longestSleepMs);
      if (waitMs <= 0) return true;
      await clock.sleep(waitMs, AbortSignal.any([this.#endOf(run), run.hastened.signal]));
      if (run.hastened.signal.aborted && !this.#mustEnd(run)) {
        run.hastened = new AbortController();
        return true;
      }
      leftMs -= waitMs;
    }
    return false;
  }

  /** Makes a call that needs no record of its own: the run's events are stored with its answer, unless that takes long. */
  async #callFirst(run: ActiveRun<State, Event>, step: CallStep<Input>): Promise<Input | undefined> {
    const answer = this.#perform(run, step);
    let saving: Promise<void> | undefined;
    await within(recordedAfterMs, answer, () => (saving = this.#save(run)), this.#options.clock);
    await saving;
    return answer;
  }

  /** Carries out a step; a command to an aggregate again after technical failures. @returns undefined when the manager stops first. */
  async #perform(run: ActiveRun<State, Event>, step: ActingStep<Input>): Promise<Input | undefined> {
    const { definition, clock, logger } = this.#options;
    const backoff = new Backoff(stepBackoff, clock);
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await step.perform();
      } catch (error) {
        if (this.#mustEnd(run)) return undefined;
        logger.error({ run: run.runId, attempt, error }, "a step of the run failed");
        // A call that threw may have reached the other provider: repeating it could turn "unknown" into "refused".
        if (step.kind === "call" || (attempt >= this.#stepAttempts && !isUnreadable(error)))
          return definition.failed(sentenceOf(error), clock.now());
        if (isUnreadable(error)) failWaiters(run, error);
        await backoff.pause(this.#endOf(run));
        if (this.#mustEnd(run)) return undefined;
      }
    }
  }

  /** True when this process is to leave the run where it is after the step in hand. */
  #mustEnd(run: ActiveRun<State, Event>): boolean {
    return this.#stopping.aborted || run.lease?.lost.aborted === true;
  }

  #endOf({ lease }: ActiveRun<State, Event>): AbortSignal {
    return lease === undefined ? this.#stopping : AbortSignal.any([this.#stopping, lease.lost]);
  }
}

/** An event that cannot be read is mended by staff or by an upgrade: then the step succeeds, without anybody's word. */
function isUnreadable(error: unknown): boolean {
  return error instanceof StoredEventError;
}

/** Who waits for the run hears at once what holds it up. */
function failWaiters({ waiters }: Pick<ActiveRun<never, never>, "waiters">, error: unknown): void {
  for (const waiter of waiters) waiter.fail(error instanceof Error ? error : new Error(String(error)));
  waiters.clear();
}

function sentenceOf(error: unknown): string {
  return error instanceof Error ? error.message.slice(0, 500) : "unknown error";
}
