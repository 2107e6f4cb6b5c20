import type { DomainEvent } from "@hostledger/core";
import { WrongExpectedRevisionError } from "@hostledger/event-store";
import type { Lease, Leases } from "@hostledger/leases";
import { Backoff } from "@hostledger/runtime/async";

import {
  RunOutOfSightError,
  type ProcessManager,
  type ProcessManagerOptions,
  type Select,
} from "./managed-process.ts";
import { createRunJournal, type DrivenRun, type RunJournal } from "./run-journal.ts";
import type { NextStep, RunContext } from "./process-definition.ts";

/** Pauses between attempts at a step that fails for technical reasons. */
const stepBackoff = { firstMs: 50, longestMs: 5_000 };

/**
 * Pauses between looks at a run that another process drives. It is followed for those who wait: any request has given up
 * in the end.
 */
const followBackoff = { firstMs: 50, longestMs: 1_000, overallMs: 60_000 };

/** A clock may be moved: a long wait looks at it again. */
const longestSleepMs = 60_000;

interface Waiter<State> {
  offer(state: State): boolean;
  fail(error: Error): void;
}

interface ActiveRun<State, Event> extends DrivenRun {
  state: State;
  /** Another one for each time that the run is driven here. */
  driver: string;
  /** Held while the run is driven here; undefined without leases, before it is had, and once it is given back. */
  lease: Lease | undefined;
  /** The state as far as it is stored: whoever waits is told nothing else. */
  persisted: State;
  revision: bigint | undefined;
  /** Facts that are not stored yet. */
  unsaved: Event[];
  readonly waiters: Set<Waiter<State>>;
  finished: Promise<void>;
}

/** A run as it is known when it is taken. */
interface KnownRun<State, Event> extends Pick<ActiveRun<State, Event>, "state" | "revision" | "context"> {
  readonly lease?: Lease | undefined;
  /** Read, if at all, before the lease was had: another process may have written since. */
  readonly isStale?: boolean;
}

/** A step that leads to an input. */
type ActingStep<Input> = Extract<NextStep<Input>, { kind: "send" | "compensate" | "call" }>;

type CallStep<Input> = Extract<NextStep<Input>, { kind: "call" }>;

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
    if (!this.hasRoom) throw new RunOutOfSightError(`too many runs are active for ${runId}`);
    const state = this.#options.definition.process.initialState;
    this.#take(runId, input, { state, revision: undefined, context });
  }

  async resume(runId: string, input: Input, context: RunContext): Promise<void> {
    if (this.isActive(runId)) return;
    if (this.#options.leases !== undefined) {
      const state = this.#options.definition.process.initialState;
      this.#take(runId, input, { state, revision: undefined, context, isStale: true });
      return;
    }
    const loaded = await this.#journal.load(runId);
    if (this.isActive(runId)) return;
    const { definition, clock } = this.#options;
    const first = loaded.revision === undefined ? input : definition.resumed(clock.now());
    this.#take(runId, first, { ...loaded, context: loaded.context ?? context });
  }

  async takeUp(runId: string): Promise<boolean> {
    if (this.isActive(runId)) return true;
    return this.#underLease(runId, true, async (lease) => {
      const { context, ...loaded } = await this.#journal.load(runId);
      if (this.isActive(runId)) return { answer: true, isTaken: false };
      if (context === undefined) return { answer: false, isTaken: false };
      this.#takeUp(runId, { ...loaded, context, lease });
      return { answer: true, isTaken: true };
    });
  }

  async recall<Answer>(runId: string, select: Select<State, Answer>): Promise<Answer | undefined> {
    if (!this.isActive(runId)) {
      const { context, ...loaded } = await this.#journal.load(runId);
      const answer = context === undefined ? undefined : select(loaded.state);
      if (answer !== undefined) return answer;
      if (!this.isActive(runId)) {
        if (context === undefined) return undefined;
        if (!this.hasRoom) throw new RunOutOfSightError(`too many runs are active for ${runId}`);
        this.#takeUp(runId, { ...loaded, context, isStale: true });
      }
    }
    return this.until(runId, select);
  }

  async interrupt(runId: string, input: Input): Promise<boolean> {
    if (this.isActive(runId)) return false;
    return this.#underLease(runId, false, async (lease) => {
      const { context, ...loaded } = await this.#journal.load(runId);
      const isSuspended =
        context !== undefined &&
        !this.isActive(runId) &&
        this.#options.definition.next(loaded.state, runId, context).kind === "suspend";
      if (isSuspended) this.#take(runId, input, { ...loaded, context, lease });
      return { answer: isSuspended, isTaken: isSuspended };
    });
  }

  until<Answer>(runId: string, select: Select<State, Answer>): Promise<Answer> {
    const run = this.#active.get(runId);
    if (run === undefined)
      return Promise.reject(new RunOutOfSightError(`the run ${runId} is not active here`));
    const answer = select(run.persisted);
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

  /** Does work under the run's lease; what takes the run keeps the lease. @returns `held` when another process has it. */
  async #underLease(
    runId: string,
    held: boolean,
    work: (lease: Lease | undefined) => Promise<{ readonly answer: boolean; readonly isTaken: boolean }>,
  ): Promise<boolean> {
    const { leases } = this.#options;
    const lease = await leases?.tryAcquire(runId);
    if (leases !== undefined && lease === undefined) return held;
    let isKept = false;
    try {
      const { answer, isTaken } = await work(lease);
      isKept = isTaken;
      return answer;
    } finally {
      if (!isKept) void lease?.release();
    }
  }

  #takeUp(runId: string, known: KnownRun<State, Event>): void {
    const { definition, clock } = this.#options;
    this.#take(runId, definition.resumed(clock.now()), known);
  }

  #take(runId: string, input: Input, known: KnownRun<State, Event>): void {
    const { state, revision, context, lease, isStale = false } = known;
    const run: ActiveRun<State, Event> = {
      runId,
      state,
      revision,
      context,
      lease,
      persisted: state,
      driver: this.#nextDriver(),
      unsaved: [],
      waiters: new Set(),
      finished: Promise.resolve(),
    };
    this.#active.set(runId, run);
    run.finished = this.#drive(run, input, isStale);
  }

  #nextDriver(): string {
    this.#taken += 1;
    return `${this.#options.owner}/${String(this.#taken)}`;
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

  /** Stores the facts in hand, then tells whoever waits: an answer that was given holds after a crash, too. */
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

  /** Never throws. */
  async #drive(run: ActiveRun<State, Event>, input: Input, isStale: boolean): Promise<void> {
    const { logger, leases } = this.#options;
    try {
      if (leases === undefined) await this.#driveToRest(run, input);
      else await this.#driveOrFollow(run, leases, { input, isStale });
    } catch (error) {
      if (error instanceof WrongExpectedRevisionError)
        logger.info({ run: run.runId }, "another process drives the run");
      else logger.error({ run: run.runId, error }, "the run stopped; it will be taken up again");
    } finally {
      this.#active.delete(run.runId);
      const stopped = new RunOutOfSightError(`the run ${run.runId} stopped before its answer`);
      for (const waiter of run.waiters) waiter.fail(stopped);
    }
  }

  async #driveToRest(run: ActiveRun<State, Event>, input: Input): Promise<void> {
    this.#apply(run, input);
    await this.#driveSteps(run);
    // A run that stops here with facts in hand leaves them to whoever resumes it.
    await this.#save(run);
  }

  /** Drives the run while its lease is ours, and follows it for those who wait while it is another process's. */
  async #driveOrFollow(
    run: ActiveRun<State, Event>,
    leases: Leases,
    { input, isStale }: { readonly input: Input; readonly isStale: boolean },
  ): Promise<void> {
    const { definition, clock } = this.#options;
    let mustRead = isStale;
    const backoff = new Backoff(followBackoff, clock);
    while (!backoff.isOver) {
      run.lease ??= await leases.tryAcquire(run.runId);
      const { lease } = run;
      if (lease !== undefined) {
        if (mustRead) await this.#read(run);
        // What nobody has begun begins with the caller's word, whoever was asked first.
        const first = mustRead && run.revision !== undefined ? definition.resumed(clock.now()) : input;
        if (await this.#driveHeld(run, lease, first)) return;
      }
      mustRead = true;
      if (run.waiters.size === 0 || this.#isStopping()) return;
      await backoff.pause(this.#stopping.signal);
      await this.#read(run);
      const { kind } = definition.next(run.state, run.runId, run.context);
      if (run.revision !== undefined && (kind === "complete" || kind === "suspend")) return;
    }
  }

  /** @returns whether nothing is left to do here; false when another process has the run from now on. */
  async #driveHeld(run: ActiveRun<State, Event>, lease: Lease, input: Input): Promise<boolean> {
    try {
      run.driver = this.#nextDriver();
      await this.#driveToRest(run, input);
      return !lease.lost.aborted;
    } catch (error) {
      if (!(error instanceof WrongExpectedRevisionError)) throw error;
      this.#options.logger.info({ run: run.runId }, "another process drives the run");
      return false;
    } finally {
      // Who asks for it next is behind the release, so nobody waits for that.
      run.lease = undefined;
      void lease.release();
    }
  }

  /** Takes what is stored for the state, and tells whoever waits. */
  async #read(run: ActiveRun<State, Event>): Promise<void> {
    const { state, revision } = await this.#journal.load(run.runId);
    run.state = state;
    run.revision = revision;
    run.unsaved = [];
    this.#tell(run);
  }

  async #driveSteps(run: ActiveRun<State, Event>): Promise<void> {
    while (!this.#mustEnd(run)) {
      const step = this.#options.definition.next(run.state, run.runId, run.context);
      if (step.kind !== "send") await this.#save(run);
      if (step.kind === "complete" || step.kind === "suspend") return;
      if (step.kind === "call" && !(await this.#isDue(run, step))) return;
      const input = await this.#perform(run, step);
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
      await clock.sleep(waitMs, this.#endOf(run));
      leftMs -= waitMs;
    }
    return false;
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
        if (step.kind === "call" || attempt >= this.#stepAttempts)
          return definition.failed(sentenceOf(error), clock.now());
        await backoff.pause(this.#endOf(run));
        if (this.#mustEnd(run)) return undefined;
      }
    }
  }

  /** True when this process is to leave the run where it is after the step in hand. */
  #mustEnd(run: ActiveRun<State, Event>): boolean {
    return this.#isStopping() || run.lease?.lost.aborted === true;
  }

  #endOf({ lease }: ActiveRun<State, Event>): AbortSignal {
    return lease === undefined ? this.#stopping.signal : AbortSignal.any([this.#stopping.signal, lease.lost]);
  }

  #isStopping(): boolean {
    return this.#stopping.signal.aborted;
  }
}

function sentenceOf(error: unknown): string {
  return error instanceof Error ? error.message.slice(0, 500) : "unknown error";
}
