import type { DomainEvent } from "@hostledger/core";
import { WrongExpectedRevisionError, type EventStore } from "@hostledger/event-store";

import { createRunJournal, type DrivenRun, type RunJournal } from "./run-journal.ts";
import type { NextStep, RunContext, RunnableProcess } from "./runnable-process.ts";
import { sleep } from "./sleep.ts";

/** What a process manager is made of. */
export interface ProcessManagerOptions<State, Input, Event extends DomainEvent> {
  readonly store: EventStore;
  readonly runnable: RunnableProcess<State, Input, Event>;
  readonly clock: { now(): string; epochMilliseconds(): number };
  readonly recordedBy: string;
  /** Names this process among the owners of runs. */
  readonly owner: string;
  readonly logger: {
    error(fields: object, message: string): void;
    info(fields: object, message: string): void;
  };
  /** Runs in memory at a time. Default 20,000. */
  readonly activeLimit?: number;
  /** Technical failures of one step before the run is parked. Default 20, waiting 50 ms to 5 s: about a minute. */
  readonly stepAttempts?: number;
}

/**
 * Drives the runs of one kind of process: asks the process what to do next, does it, feeds back what came of it, and
 * keeps the run's facts on the run's own stream. Facts are stored before another party is called, before anything is
 * undone, and when the run parks or completes; a run that was cut off in between repeats only what is safe to repeat.
 */
export interface ProcessManager<State, Input> {
  /** Begins a run with its first input; one that is active already is left as it is. @throws RunSuspendedError too many runs. */
  start(runId: string, input: Input, context: RunContext): void;
  /** Takes over a run whose owner is gone. `input` begins it where its stream has nothing yet. */
  resume(runId: string, input: Input, context: RunContext): Promise<void>;
  /** Takes over a run whose stream has something. @returns false when it has nothing. */
  takeUp(runId: string): Promise<boolean>;
  /**
   * Waits until `select` finds something in the state of a run that was begun before: here, by a process that died, or
   * long ago. A request that is repeated gets its first answer so.
   * @returns undefined when there is no such run.
   * @throws RunSuspendedError the run stops here without an answer, or too many runs are active.
   */
  recall<Answer>(runId: string, select: Select<State, Answer>): Promise<Answer | undefined>;
  /** Gives staff's word to a parked run. @returns false when the run is not parked. */
  interrupt(runId: string, input: Input): Promise<boolean>;
  /** Waits until `select` finds something in the run's stored state. Rejects when the run stops here without it. */
  until<Answer>(runId: string, select: Select<State, Answer>): Promise<Answer>;
  isActive(runId: string): boolean;
  readonly activeRuns: number;
  /** False while as many runs are active as may be: ask before anything is promised. */
  readonly hasRoom: boolean;
  /** Lets every run finish the step in hand, then stops. Unfinished runs go on when they are resumed. */
  stop(): Promise<void>;
}

/** Looks for an answer in a run's state; undefined while there is none. */
export type Select<State, Answer> = (state: State) => Answer | undefined;

/** A run cannot be followed here any longer; it goes on later, here or elsewhere. */
export class RunSuspendedError extends Error {
  override readonly name = "RunSuspendedError";
}

const longestStepWaitMs = 5_000;

/** A clock may be moved: a long wait looks at it again. */
const longestSleepMs = 60_000;

interface Waiter<State> {
  offer(state: State): boolean;
  fail(error: Error): void;
}

interface ActiveRun<State, Event> extends DrivenRun {
  state: State;
  /** The state as far as it is stored: whoever waits is told nothing else. */
  told: State;
  revision: bigint | undefined;
  /** Facts that are not stored yet. */
  unsaved: Event[];
  readonly waiters: Set<Waiter<State>>;
  finished: Promise<void>;
}

/** A step that leads to an input. */
type ActingStep<Input> = Extract<NextStep<Input>, { kind: "send" | "begin" | "compensate" | "call" }>;

/** Creates the manager of one kind of process. */
export function createProcessManager<State, Input, Event extends DomainEvent>(
  options: ProcessManagerOptions<State, Input, Event>,
): ProcessManager<State, Input> {
  return new StreamProcessManager(options);
}

class StreamProcessManager<State, Input, Event extends DomainEvent> implements ProcessManager<State, Input> {
  readonly #options: ProcessManagerOptions<State, Input, Event>;
  readonly #activeLimit: number;
  readonly #stepAttempts: number;
  readonly #journal: RunJournal<State, Event>;
  readonly #active = new Map<string, ActiveRun<State, Event>>();
  readonly #stopping = new AbortController();
  /** Runs that were begun or taken up here so far. */
  #taken = 0;

  constructor(options: ProcessManagerOptions<State, Input, Event>) {
    this.#options = options;
    this.#activeLimit = options.activeLimit ?? 20_000;
    this.#stepAttempts = options.stepAttempts ?? 20;
    this.#journal = createRunJournal(options);
  }

  get activeRuns(): number {
    return this.#active.size;
  }

  get hasRoom(): boolean {
    return this.#active.size < this.#activeLimit;
  }

  isActive(runId: string): boolean {
    return this.#active.has(runId);
  }

  start(runId: string, input: Input, context: RunContext): void {
    if (this.isActive(runId)) return;
    if (!this.hasRoom) throw new RunSuspendedError(`too many runs are active for ${runId}`);
    const state = this.#options.runnable.process.initialState;
    this.#take(runId, input, { state, revision: undefined, context });
  }

  async resume(runId: string, input: Input, context: RunContext): Promise<void> {
    if (this.isActive(runId)) return;
    const loaded = await this.#journal.load(runId);
    if (this.isActive(runId)) return;
    const { runnable, clock } = this.#options;
    const first = loaded.revision === undefined ? input : runnable.resumed(clock.now());
    this.#take(runId, first, { ...loaded, context: loaded.context ?? context });
  }

  async takeUp(runId: string): Promise<boolean> {
    if (this.isActive(runId)) return true;
    const { context, ...loaded } = await this.#journal.load(runId);
    if (this.isActive(runId)) return true;
    if (context === undefined) return false;
    this.#takeUp(runId, { ...loaded, context });
    return true;
  }

  async recall<Answer>(runId: string, select: Select<State, Answer>): Promise<Answer | undefined> {
    if (!this.isActive(runId)) {
      const { context, ...loaded } = await this.#journal.load(runId);
      const answer = context === undefined ? undefined : select(loaded.state);
      if (answer !== undefined) return answer;
      if (!this.isActive(runId)) {
        if (context === undefined) return undefined;
        if (!this.hasRoom) throw new RunSuspendedError(`too many runs are active for ${runId}`);
        this.#takeUp(runId, { ...loaded, context });
      }
    }
    return this.until(runId, select);
  }

  async interrupt(runId: string, input: Input): Promise<boolean> {
    if (this.isActive(runId)) return false;
    const { context, ...loaded } = await this.#journal.load(runId);
    if (context === undefined || this.isActive(runId)) return false;
    if (this.#options.runnable.next(loaded.state, runId, context).kind !== "park") return false;
    this.#take(runId, input, { ...loaded, context });
    return true;
  }

  until<Answer>(runId: string, select: Select<State, Answer>): Promise<Answer> {
    const run = this.#active.get(runId);
    if (run === undefined)
      return Promise.reject(new RunSuspendedError(`the run ${runId} is not active here`));
    const answer = select(run.told);
    if (answer !== undefined) return Promise.resolve(answer);
    return new Promise((resolve, reject) => {
      const offer = (state: State): boolean => {
        const found = select(state);
        if (found !== undefined) resolve(found);
        return found !== undefined;
      };
      run.waiters.add({ offer, fail: reject });
    });
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await Promise.allSettled([...this.#active.values()].map((run) => run.finished));
  }

  #takeUp(runId: string, known: Pick<ActiveRun<State, Event>, "state" | "revision" | "context">): void {
    const { runnable, clock } = this.#options;
    this.#take(runId, runnable.resumed(clock.now()), known);
  }

  #take(
    runId: string,
    input: Input,
    known: Pick<ActiveRun<State, Event>, "state" | "revision" | "context">,
  ): void {
    this.#taken += 1;
    const run: ActiveRun<State, Event> = {
      runId,
      ...known,
      told: known.state,
      driver: `${this.#options.owner}/${String(this.#taken)}`,
      unsaved: [],
      waiters: new Set(),
      finished: Promise.resolve(),
    };
    this.#active.set(runId, run);
    run.finished = this.#drive(run, input);
  }

  /** Folds what an input adds. @returns false when it adds nothing. */
  #apply(run: ActiveRun<State, Event>, input: Input): boolean {
    const { process } = this.#options.runnable;
    const events = process.decide(input, run.state);
    for (const event of events) {
      run.state = process.evolve(run.state, event);
      run.unsaved.push(event);
    }
    return events.length > 0;
  }

  /** Stores the facts in hand, then tells whoever waits: an answer that was given holds after a crash, too. */
  async #save(run: ActiveRun<State, Event>): Promise<void> {
    if (run.unsaved.length === 0) return;
    run.revision = await this.#journal.append(run, run.unsaved);
    run.unsaved = [];
    run.told = run.state;
    for (const waiter of run.waiters) if (waiter.offer(run.told)) run.waiters.delete(waiter);
  }

  /** Never throws. */
  async #drive(run: ActiveRun<State, Event>, input: Input): Promise<void> {
    const { logger } = this.#options;
    try {
      this.#apply(run, input);
      await this.#driveSteps(run);
      // A run that stops here with facts in hand leaves them to whoever resumes it.
      await this.#save(run);
    } catch (error) {
      if (error instanceof WrongExpectedRevisionError)
        logger.info({ run: run.runId }, "another process drives the run");
      else logger.error({ run: run.runId, error }, "the run stopped; it will be taken up again");
    } finally {
      this.#active.delete(run.runId);
      const stopped = new RunSuspendedError(`the run ${run.runId} stopped before its answer`);
      for (const waiter of run.waiters) waiter.fail(stopped);
    }
  }

  async #driveSteps(run: ActiveRun<State, Event>): Promise<void> {
    while (!this.#isStopping()) {
      const step = this.#options.runnable.next(run.state, run.runId, run.context);
      if (step.kind !== "send") await this.#save(run);
      if (step.kind === "complete" || step.kind === "park") return;
      if (step.kind === "call" && !(await this.#isDue(step.notBefore))) return;
      const input = await this.#perform(run, step);
      if (input === undefined) return;
      if (!this.#apply(run, input)) throw new Error("the process makes no progress on what came of its step");
    }
  }

  /** Waits for the instant. @returns false when the manager stops first. */
  async #isDue(notBefore: string | undefined): Promise<boolean> {
    if (notBefore === undefined) return true;
    const dueMs = Date.parse(notBefore);
    while (!this.#isStopping()) {
      const waitMs = dueMs - this.#options.clock.epochMilliseconds();
      if (waitMs <= 0) return true;
      await sleep(Math.min(waitMs, longestSleepMs), this.#stopping.signal);
    }
    return false;
  }

  /** Carries out a step; a command to an aggregate again after technical failures. @returns undefined when the manager stops first. */
  async #perform(run: ActiveRun<State, Event>, step: ActingStep<Input>): Promise<Input | undefined> {
    const { runnable, clock, logger } = this.#options;
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await step.perform();
      } catch (error) {
        if (this.#isStopping()) return undefined;
        logger.error({ run: run.runId, attempt, error }, "a step of the run failed");
        // A call that threw may have reached the other party: repeating it could turn "unknown" into "refused".
        if (step.kind === "call" || attempt >= this.#stepAttempts)
          return runnable.failed(sentenceOf(error), clock.now());
        await sleep(Math.min(25 * 2 ** attempt, longestStepWaitMs), this.#stopping.signal);
        if (this.#isStopping()) return undefined;
      }
    }
  }

  #isStopping(): boolean {
    return this.#stopping.signal.aborted;
  }
}

function sentenceOf(error: unknown): string {
  return error instanceof Error ? error.message.slice(0, 500) : "unknown error";
}
