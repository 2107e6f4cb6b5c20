import { StoredEventError, type DomainEvent } from "@hostledger/core";
import { Backoff, isAborted, type Timing, within } from "@hostledger/runtime/async";

import type { NextStep, ProcessDefinition } from "./process-definition.ts";
import type { RunInHand } from "./run-in-hand.ts";
import type { DrivenRun, RunJournal } from "./run-journal.ts";

/** Pauses between attempts at a step that fails for technical reasons. */
const stepBackoff = { firstMs: 50, longestMs: 5_000 };

/** Maximum sleep in milliseconds: a long wait reads the clock again, because staff may move the clock. */
const longestSleepMs = 60_000;

/** Time after which an unanswered first call is recorded, in milliseconds, so that staff see the run's step. */
const recordedAfterMs = 1_000;

export interface RunDriverOptions<State, Input, Event extends DomainEvent> {
  readonly definition: ProcessDefinition<State, Input, Event>;
  readonly clock: Timing & { now(): string; epochMilliseconds(): number };
  readonly logger: {
    error(fields: object, message: string): void;
    info(fields: object, message: string): void;
  };
  /** Technical failures of one step before the run is suspended. Default 20, waiting up to 5 s: about a minute. */
  readonly stepAttempts?: number;
}

export interface ActiveRun<State, Input, Event> extends DrivenRun {
  readonly hand: RunInHand<State, Input>;
  /** Aborts when this process must leave the run after its current step. */
  readonly ending: AbortSignal;
  state: State;
  revision: bigint | undefined;
  /** Events that are not stored yet. */
  unsaved: Event[];
}

/** A step that leads to an input. */
type ActingStep<Input> = Extract<NextStep<Input>, { kind: "send" | "compensate" | "call" }>;

type CallStep<Input> = Extract<NextStep<Input>, { kind: "call" }>;

/**
 * Drives runs step by step: gets the next action, stores the events, carries out the action, and applies its result.
 */
export class RunDriver<State, Input, Event extends DomainEvent> {
  readonly #options: RunDriverOptions<State, Input, Event>;
  readonly #journal: RunJournal<State, Event>;
  readonly #stepAttempts: number;

  constructor(options: RunDriverOptions<State, Input, Event>, journal: RunJournal<State, Event>) {
    this.#options = options;
    this.#journal = journal;
    this.#stepAttempts = options.stepAttempts ?? 20;
  }

  /** Applies an input to the run's state. @returns false if the input changes nothing. */
  #apply(run: ActiveRun<State, Input, Event>, input: Input): boolean {
    const { process } = this.#options.definition;
    const events = process.decide(input, run.state);
    for (const event of events) {
      run.state = process.evolve(run.state, event);
      run.unsaved.push(event);
    }
    return events.length > 0;
  }

  /** Stores the pending events, then resolves the waiting callers. */
  async #save(run: ActiveRun<State, Input, Event>): Promise<void> {
    if (run.unsaved.length === 0) return;
    run.revision = await this.#journal.append(run, run.unsaved);
    run.unsaved = [];
    run.hand.offer(run.state);
  }

  /** Gives the run an input and drives it until it ends, waits for staff, or has to be left. @throws WrongExpectedRevisionError */
  async driveToRest(run: ActiveRun<State, Input, Event>, input: Input): Promise<void> {
    this.#apply(run, input);
    await this.#driveSteps(run);
    // A run that stops with pending events leaves them to its next driver.
    await this.#save(run);
  }

  async #driveSteps(run: ActiveRun<State, Input, Event>): Promise<void> {
    while (!run.ending.aborted) {
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
   * hold the run up. @returns false when this process leaves the run first.
   */
  async #isDue(
    run: ActiveRun<State, Input, Event>,
    { notBefore, longestPauseMs = Infinity }: CallStep<Input>,
  ): Promise<boolean> {
    if (notBefore === undefined) return true;
    const { clock } = this.#options;
    const { hand } = run;
    const dueMs = Date.parse(notBefore);
    for (let leftMs = longestPauseMs; !run.ending.aborted;) {
      const waitMs = Math.min(dueMs - clock.epochMilliseconds(), leftMs, longestSleepMs);
      if (waitMs <= 0) return true;
      await clock.sleep(waitMs, AbortSignal.any([run.ending, hand.hastened.signal]));
      if (hand.hastened.signal.aborted && !isAborted(run.ending)) {
        hand.hastened = new AbortController();
        return true;
      }
      leftMs -= waitMs;
    }
    return false;
  }

  /** Makes a call that needs no record of its own: the run's events are stored with its answer, unless that takes long. */
  async #callFirst(run: ActiveRun<State, Input, Event>, step: CallStep<Input>): Promise<Input | undefined> {
    const answer = this.#perform(run, step);
    let saving: Promise<void> | undefined;
    await within(recordedAfterMs, answer, () => (saving = this.#save(run)), this.#options.clock);
    await saving;
    return answer;
  }

  /** Carries out a step; a command to an aggregate again after technical failures. @returns undefined when this process leaves the run first. */
  async #perform(run: ActiveRun<State, Input, Event>, step: ActingStep<Input>): Promise<Input | undefined> {
    const { definition, clock, logger } = this.#options;
    const backoff = new Backoff(stepBackoff, clock);
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await step.perform();
      } catch (error) {
        if (run.ending.aborted) return undefined;
        logger.error({ run: run.runId, attempt, error }, "a step of the run failed");
        // A call that threw may have reached the other provider: repeating it could turn "unknown" into "refused".
        if (step.kind === "call" || (attempt >= this.#stepAttempts && !isUnreadable(error)))
          return definition.failed(sentenceOf(error), clock.now());
        if (isUnreadable(error)) run.hand.fail(error);
        await backoff.pause(run.ending);
        if (isAborted(run.ending)) return undefined;
      }
    }
  }
}

/** An event that cannot be read is mended by staff or by an upgrade: then the step succeeds, without anybody's word. */
function isUnreadable(error: unknown): boolean {
  return error instanceof StoredEventError;
}

function sentenceOf(error: unknown): string {
  return error instanceof Error ? error.message.slice(0, 500) : "unknown error";
}
