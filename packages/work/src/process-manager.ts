import type { DomainEvent } from "@hostledger/core";
import { WrongExpectedRevisionError } from "@hostledger/store";
import type { Lease, Leases } from "./leases/index.ts";
import { callerFrom, ownerOf } from "@hostledger/rpc";
import { Backoff, onBehalfOf } from "@hostledger/runtime/async";

import {
  RunOutOfSightError,
  type ProcessManager,
  type ProcessManagerOptions,
  type Select,
} from "./managed-process.ts";
import type { RunContext } from "./process-definition.ts";
import { RunDriver, type ActiveRun } from "./run-driver.ts";
import { createRunJournal, type RunJournal } from "./run-journal.ts";
import { inTraceOf } from "./run-spans.ts";

/**
 * Pauses between looks at a run that another process drives. It is followed for those who wait: any request has given up
 * in the end.
 */
const followBackoff = { firstMs: 50, longestMs: 1_000, overallMs: 60_000 };

/** A run as it is known when it is taken. */
interface KnownRun<State, Event> extends Pick<ActiveRun<State, Event>, "state" | "revision" | "context"> {
  readonly lease?: Lease | undefined;
  /** Read, if at all, before the lease was had: another process may have written since. */
  readonly isStale?: boolean;
}

/** Creates the manager of one kind of process. */
export function createProcessManager<State, Input, Event extends DomainEvent>(
  options: ProcessManagerOptions<State, Input, Event>,
): ProcessManager<State, Input> {
  return new StreamProcessManager(options);
}

class StreamProcessManager<State, Input, Event extends DomainEvent> implements ProcessManager<State, Input> {
  readonly #options: ProcessManagerOptions<State, Input, Event>;
  readonly #activeLimit: number;
  readonly #journal: RunJournal<State, Event>;
  readonly #driver: RunDriver<State, Input, Event>;
  readonly #active = new Map<string, ActiveRun<State, Event>>();
  readonly #stopping = new AbortController();
  /** Runs that were begun or taken up here so far. */
  #taken = 0;

  constructor(options: ProcessManagerOptions<State, Input, Event>) {
    this.#options = options;
    this.#activeLimit = options.activeLimit ?? 20_000;
    this.#journal = createRunJournal(options);
    this.#driver = new RunDriver(options, this.#journal, this.#stopping.signal);
  }

  get activeRuns(): number {
    return this.#active.size;
  }

  get hasRoom(): boolean {
    return this.#mayTake && (this.#options.leases?.hasRoom ?? true);
  }

  /** Of a run that is begun or asked for already: its lease is one of those that are kept for what is under way. */
  get #mayTake(): boolean {
    return this.#active.size < this.#activeLimit;
  }

  isActive(runId: string): boolean {
    return this.#active.has(runId);
  }

  start(runId: string, input: Input, context: RunContext): void {
    if (this.isActive(runId)) return;
    if (!this.#mayTake) throw new RunOutOfSightError(`too many runs are active for ${runId}`);
    const state = this.#options.definition.process.initialState;
    this.#take(runId, input, { state, revision: undefined, context });
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
        if (!this.#mayTake) throw new RunOutOfSightError(`too many runs are active for ${runId}`);
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

  hasten(runId: string): void {
    this.#active.get(runId)?.hastened.abort();
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
      generation: this.#journal.generation(),
      driver: this.#nextDriver(),
      unsaved: [],
      hastened: new AbortController(),
      waiters: new Set(),
      finished: Promise.resolve(),
    };
    this.#active.set(runId, run);
    const isBegun = revision === undefined && !isStale;
    run.finished = forCustomerOf(context, () =>
      inTraceOf(run, { tracing: this.#options.tracing, isBegun }, () => this.#drive(run, input, isStale)),
    );
  }

  #nextDriver(): string {
    this.#taken += 1;
    return `${this.#options.owner}/${String(this.#taken)}`;
  }

  /** Never throws. */
  async #drive(run: ActiveRun<State, Event>, input: Input, isStale: boolean): Promise<void> {
    const { logger, leases } = this.#options;
    try {
      if (leases === undefined) await this.#driver.driveToRest(run, input);
      else await this.#driveOrFollow(run, leases, { input, isStale });
    } catch (error) {
      if (error instanceof WrongExpectedRevisionError)
        logger.info({ run: run.runId }, "another process drives the run");
      else logger.error({ run: run.runId, error }, "the run stopped; it will be taken up again");
    } finally {
      this.#active.delete(run.runId);
      for (const waiter of run.waiters)
        waiter.fail(new RunOutOfSightError(`the run ${run.runId} stopped before its answer`));
    }
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
        if (mustRead) await this.#driver.read(run);
        // What nobody has begun begins with the caller's word, whoever was asked first.
        const first = mustRead && run.revision !== undefined ? definition.resumed(clock.now()) : input;
        if (await this.#driveHeld(run, lease, first)) return;
      }
      mustRead = true;
      if (run.waiters.size === 0 || this.#isStopping()) return;
      await backoff.pause(this.#stopping.signal);
      await this.#driver.read(run);
      const { kind } = definition.next(run.state, run.runId, run.context);
      if (run.revision !== undefined && (kind === "complete" || kind === "suspend")) return;
    }
  }

  /** @returns whether nothing is left to do here; false when another process has the run from now on. */
  async #driveHeld(run: ActiveRun<State, Event>, lease: Lease, input: Input): Promise<boolean> {
    try {
      run.driver = this.#nextDriver();
      await this.#driver.driveToRest(run, input);
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

  #isStopping(): boolean {
    return this.#stopping.signal.aborted;
  }
}

/** Drives a run on behalf of the customer who began it, whoever drives it now. */
function forCustomerOf<Result>({ actor }: RunContext, drive: () => Result): Result {
  const caller = callerFrom(actor);
  return caller?.kind === "account" ? onBehalfOf(ownerOf(caller), drive) : drive();
}
