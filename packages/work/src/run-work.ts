import { type DomainEvent, StoredEventError } from "@hostledger/core";
import { type EventStore, WrongExpectedRevisionError } from "@hostledger/store";
import { callerFrom, ownerOf } from "@hostledger/rpc";
import type { Tracing } from "@hostledger/runtime";
import { Backoff, onBehalfOf } from "@hostledger/runtime/async";

import type { WorkEngine } from "./engine/work-engine.port.ts";
import type { AnyWorkKind, Attended, DueKey, Look } from "./engine/work-kind.ts";
import type { Leases } from "./leases/index.ts";
import type { RunContext } from "./process-definition.ts";
import { RunDriver, type RunDriverOptions } from "./run-driver.ts";
import { RunInHand, RunOutOfSightError, type Select, type TakenRun } from "./run-in-hand.ts";
import { createRunJournal, type FirstStep, type LoadedRun, type RunJournal } from "./run-journal.ts";
import { inTraceOf } from "./run-spans.ts";
import { UnfinishedRuns, type UnfinishedRunsOptions } from "./unfinished-runs.ts";

/**
 * Pauses between reads of a run that another process drives. Waiting callers are served so long; requests time out
 * earlier.
 */
const followBackoff = { firstMs: 50, longestMs: 1_000, overallMs: 60_000 };

export interface RunWorkOptions<State, Input, Event extends DomainEvent>
  extends RunDriverOptions<State, Input, Event>, Omit<UnfinishedRunsOptions<Input>, "clock"> {
  /** Of the kind of work, unique in its service. */
  readonly name: string;
  readonly store: EventStore;
  readonly recordedBy: string;
  /** Names this process among the owners of runs. */
  readonly owner: string;
  readonly engine: () => Pick<WorkEngine, "attend">;
  /** Leases of the engine. Undefined if one process uses the store alone. */
  readonly leases?: Leases;
  /** Tracing, if a collector is configured. */
  readonly tracing?: Tracing;
  /** Maximum active runs. Default: 20,000. */
  readonly activeLimit?: number;
}

const waiting: Attended = { steps: [], end: "waiting", until: null, awaitsFunds: false };
const due: Attended = { steps: [], end: "due" };

/**
 * Offers the runs of one kind of process as work of the engine: a look at a run takes steps until the run ends or
 * waits for staff. Events are stored before a call to a provider, before a compensation, and when the run is
 * suspended or completes, so an interrupted run repeats only what is safe to repeat. A first call is stored together
 * with its answer (`NextStep`).
 */
export class RunWork<State, Input, Event extends DomainEvent> {
  readonly work: AnyWorkKind;
  readonly #options: RunWorkOptions<State, Input, Event>;
  readonly #activeLimit: number;
  readonly #journal: RunJournal<State, Event>;
  readonly #driver: RunDriver<State, Input, Event>;
  readonly #inHand = new Map<string, RunInHand<State, Input>>();
  readonly #stopping = new AbortController();
  readonly #unfinished: UnfinishedRuns<Input>;
  /** Looks so far: each is another driver of its run. */
  #looks = 0;

  constructor(options: RunWorkOptions<State, Input, Event>) {
    this.#options = options;
    this.#activeLimit = options.activeLimit ?? 20_000;
    this.#journal = createRunJournal(options);
    this.#driver = new RunDriver(options, this.#journal);
    this.#unfinished = new UnfinishedRuns(options);
    const limit = this.#activeLimit;
    this.work = {
      name: options.name,
      isDesiredState: true,
      begins: { keys: [], afterMs: 0 },
      needsTrustedTime: false,
      inEveryProcess: true,
      due: { atOnce: limit, accounts: limit, read: (_, after, count) => this.#leftRuns(after, count) },
      attend: (runId, look) => this.#attend(runId, look),
    };
  }

  get activeRuns(): number {
    return this.#inHand.size;
  }

  /** False if the maximum of active runs or of leases is reached. Ask before an order is promised. */
  get hasRoom(): boolean {
    return this.#mayTake && (this.#options.leases?.hasRoom ?? true);
  }

  /** True if a run that was already begun or requested may start; its lease comes from the reserve. */
  get #mayTake(): boolean {
    return this.#inHand.size < this.#activeLimit;
  }

  isActive(runId: string): boolean {
    return this.#inHand.has(runId);
  }

  /** Begins a run with its first input; an active run is left unchanged. @throws RunOutOfSightError too many runs. */
  start(runId: string, input: Input, context: RunContext): void {
    if (this.isActive(runId)) return;
    this.#beginFollowing(runId, { first: { input, context }, known: this.#journal.unstored() });
  }

  /** Waits until `select` finds something in the run's stored state. Rejects when the run stops here without it. */
  until<Answer>(runId: string, select: Select<State, Answer>): Promise<Answer> {
    const hand = this.#inHand.get(runId);
    if (hand !== undefined) return hand.until(select);
    return Promise.reject(new RunOutOfSightError(`the run ${runId} is not active here`));
  }

  /**
   * Waits for the answer of a run that an earlier copy of the request may have begun, so that a repeated request
   * gets its first answer. A run of another process is followed on its stream, and taken over when that process
   * releases it or dies.
   * @param subject on whose stream the run's beginning is searched; the run may have no event yet.
   * @returns undefined if there is no such run.
   * @throws RunOutOfSightError the run stops here without an answer, or too many runs are active.
   */
  async recall<Answer>(
    runId: string,
    select: Select<State, Answer>,
    subject?: string,
  ): Promise<Answer | undefined> {
    if (!this.isActive(runId)) {
      const { context, state } = await this.#journal.load(runId);
      const answer = context === undefined ? undefined : select(state);
      if (answer !== undefined) return answer;
      const isBegun = context !== undefined || subject === undefined;
      const first = isBegun ? undefined : await this.#unfinished.beginningOf(runId, subject);
      if (!this.isActive(runId)) {
        if (context === undefined && first === undefined) return undefined;
        this.#beginFollowing(runId, { first });
      }
    }
    return this.until(runId, select);
  }

  /** Gives a suspended run staff's decision. @returns false when the run is not suspended. */
  async interrupt(runId: string, input: Input): Promise<boolean> {
    if (this.isActive(runId)) return false;
    const { definition, engine, name: kind } = this.#options;
    const found = Promise.withResolvers<boolean>();
    const begin = async (): Promise<{ readonly context: RunContext } | undefined> => {
      const known = await this.#journal.load(runId);
      const { context, state } = known;
      if (context === undefined || definition.next(state, runId, context).kind !== "suspend")
        return undefined;
      this.#take(runId, { first: { input, context }, known });
      found.resolve(true);
      return { context };
    };
    void engine()
      .attend({ kind, key: runId }, { limitMs: 0, begin })
      .then(() => {
        found.resolve(false);
      }, found.reject);
    return found.promise;
  }

  /** Ends the pause before a run's next call to a provider, where it is driven here; elsewhere its schedule holds. */
  hasten(runId: string): void {
    this.#inHand.get(runId)?.hastened.abort();
  }

  /** Stops following runs. The engine also stops, so each run ends with its current step. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await Promise.allSettled([...this.#inHand.values()].map(async ({ followed }) => followed));
  }

  #take(runId: string, taken: TakenRun<State, Input>): RunInHand<State, Input> {
    const hand = new RunInHand(runId, this.#options.definition.process.initialState, taken);
    this.#inHand.set(runId, hand);
    return hand;
  }

  #release(hand: RunInHand<State, Input>): void {
    this.#inHand.delete(hand.runId);
    hand.fail(new RunOutOfSightError(`the run ${hand.runId} stopped before its answer`));
  }

  #beginFollowing(runId: string, taken: TakenRun<State, Input>): void {
    if (!this.#mayTake) throw new RunOutOfSightError(`too many runs are active for ${runId}`);
    const hand = this.#take(runId, taken);
    hand.followed = this.#follow(hand);
  }

  /** Gives a run to the engine, and follows it for waiting callers while another process drives it. Never throws. */
  async #follow(hand: RunInHand<State, Input>): Promise<void> {
    const { clock, engine, leases, logger, name: kind } = this.#options;
    const { first, runId } = hand;
    const backoff = new Backoff(followBackoff, clock);
    try {
      for (;;) {
        const begin = first === undefined ? {} : { begin: () => Promise.resolve({ context: first.context }) };
        const attended = await engine().attend({ kind, key: runId }, begin);
        hand.known = undefined;
        // Without leases nobody else drives a run for long.
        const isOver = attended.end !== "due" || leases === undefined || !hand.isAwaited;
        if (isOver || this.#stopping.signal.aborted || backoff.isOver) return;
        await backoff.pause(this.#stopping.signal);
        if (await this.#isAtRest(hand)) return;
      }
    } catch (error) {
      logger.error({ run: runId, error }, "the run cannot be followed");
    } finally {
      this.#release(hand);
    }
  }

  /** Reads a run that another process drives, and resolves waiting callers. */
  async #isAtRest(hand: RunInHand<State, Input>): Promise<boolean> {
    const { context, state } = await this.#journal.load(hand.runId);
    if (context === undefined) return false;
    hand.offer(state);
    const { kind } = this.#options.definition.next(state, hand.runId, context);
    return kind === "complete" || kind === "suspend";
  }

  /** Reads runs without a driver in this process. Runs beyond the limit wait for a later round, here or elsewhere. */
  async #leftRuns(after: string, limit: number): Promise<readonly DueKey[]> {
    const room = this.hasRoom ? Math.min(limit, this.#activeLimit - this.#inHand.size) : 0;
    return room === 0 ? [] : this.#unfinished.read(after, room, (run) => this.isActive(run));
  }

  /** Takes a run's steps, while nobody else does. Never throws. */
  async #attend(runId: string, look: Look): Promise<Attended> {
    const { logger } = this.#options;
    if (!this.isActive(runId) && !this.hasRoom) return due;
    const hand = this.#inHand.get(runId) ?? this.#take(runId, {});
    try {
      await this.#drive(hand, look);
      return look.signal.aborted ? due : waiting;
    } catch (error) {
      if (error instanceof WrongExpectedRevisionError) {
        logger.info({ run: runId }, "another process drives the run");
        return due;
      }
      const isUnreadable = error instanceof StoredEventError;
      logger.error(
        { run: runId, error },
        isUnreadable
          ? "a run is held up by an event that cannot be read"
          : "the run stopped; it will be taken up again",
      );
      hand.fail(new RunOutOfSightError(`the run ${runId} stopped before its answer`));
      return due;
    } finally {
      if (hand.followed === undefined) this.#release(hand);
    }
  }

  async #drive(hand: RunInHand<State, Input>, look: Look): Promise<void> {
    const { logger, owner, tracing } = this.#options;
    const { runId } = hand;
    const isRead = hand.known === undefined;
    const known = hand.known ?? (await this.#journal.load(runId));
    const first = await this.#firstOf(hand, known, isRead);
    // A stopping process leaves runs that its round found to the next owner.
    if (first === undefined || (isRead && look.signal.aborted)) return;
    const { context, input } = first;
    if (isRead && hand.followed === undefined) logger.info({ run: runId }, "takes over an unfinished run");
    this.#looks += 1;
    const { generation, revision, state } = known;
    const driver = `${owner}/${String(this.#looks)}`;
    const ending = look.signal;
    const run = { runId, hand, state, revision, generation, context, driver, ending, unsaved: [] };
    if (isRead) hand.offer(state);
    await forCustomerOf(context, () =>
      inTraceOf(run, { tracing, isBegun: revision === undefined }, () =>
        this.#driver.driveToRest(run, input),
      ),
    );
  }

  /** Returns the first step of a run. A run without a beginning starts with the caller's input. */
  async #firstOf(
    hand: RunInHand<State, Input>,
    { context }: LoadedRun<State>,
    isRead: boolean,
  ): Promise<FirstStep<Input> | undefined> {
    const { clock, definition } = this.#options;
    if (isRead && context !== undefined) return { input: definition.resumed(clock.now()), context };
    return hand.first ?? this.#unfinished.beginningOf(hand.runId);
  }
}

/** Drives a run in the name of the customer who began it. */
function forCustomerOf<Result>({ actor }: RunContext, drive: () => Result): Result {
  const caller = callerFrom(actor);
  return caller?.kind === "account" ? onBehalfOf(ownerOf(caller), drive) : drive();
}
