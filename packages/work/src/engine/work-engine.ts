import { addMilliseconds } from "@hostledger/core";
import { runUnderLease, type Leases } from "../leases/index.ts";
import type { ReadModelDatabase } from "@hostledger/read";
import type { Clock, Logger } from "@hostledger/runtime";
import { isAborted } from "@hostledger/runtime/async";

import { ResourceHolds } from "../resource-holds.ts";
import { OwnKeys } from "./own-keys.ts";
import { failureAfter, isPaused, type FailedLook } from "./work-failures.ts";
import type { AnyWorkKind, Attended } from "./work-kind.ts";
import { nameOf, WorkQueue } from "./work-queue.ts";
import {
  beforeAllWork,
  openWorkStore,
  type DueWork,
  type Rest,
  type WorkPage,
  type WorkStore,
} from "./work-store.ts";
import type { WorkFailure, WorkKey, WorkSchema } from "./work.table.ts";

/** What an engine is made of. */
export interface WorkEngineOptions<Tables extends WorkSchema> {
  readonly database: ReadModelDatabase<Tables>;
  readonly kinds: readonly AnyWorkKind[];
  readonly clock: Clock;
  readonly logger: Pick<Logger, "warn">;
  /** The lease of the rounds, for example `lifecycle-domain`. */
  readonly lease: string;
  /** Left out where there is one process. */
  readonly leases?: Leases | undefined;
  /** False while nothing may be done because of the time alone. Default: always true. */
  readonly isTimeTrusted?: (() => boolean) | undefined;
  /** Pause between two rounds, in milliseconds. Default: 1 s. */
  readonly intervalMs?: number | undefined;
}

/** How often each step was taken, by its name. */
export type WorkCounts = ReadonlyMap<string, number>;

/** Counts, among the steps, the keys whose attempt failed. */
export const failedAttempt = "failed attempt";

/**
 * Carries out the work of a service that needs no request (ADR 0180). Several engines may run over one store: every effect is
 * safe to repeat, and the expected revision of its stream settles who was first.
 */
export interface WorkEngine {
  /** Does everything that events made due, once, and looks at what waits for money. */
  runDue(signal?: AbortSignal): Promise<WorkCounts>;
  /**
   * Works on one key now, for a request. The rounds repeat a failed attempt.
   * @returns `due` where another process works on the key.
   */
  attend(work: WorkKey): Promise<Attended>;
  /** Makes a key due now, or every key of a kind: something outside may have changed, and no event says so. */
  wake(work: Pick<WorkKey, "kind"> & Partial<WorkKey>): Promise<void>;
  /** Does other work on a key's resource while the engine in this process does none on it. */
  exclusively<Result>(work: WorkKey, other: () => Promise<Result>): Promise<Result>;
  /** Runs rounds under the lease until the signal aborts; the attempts in hand end first. */
  run(signal: AbortSignal): Promise<void>;
  /** Lets the attempts for requests end, and makes no more. */
  stop(): Promise<void>;
}

const defaultIntervalMs = 1_000;

/** How often keys that wait for money are looked at, in milliseconds: each look reads a balance. */
const fundsEveryMs = 30_000;

/** How long a key waits at most, in milliseconds. */
const longestWaitMs = 86_400_000;

/** Keys read at a time. */
const pageSize = 1_000;

/** Opens an engine on a service's read models. */
export async function openWorkEngine<Tables extends WorkSchema>(
  options: WorkEngineOptions<Tables>,
): Promise<WorkEngine> {
  return new Engine(options, await openWorkStore(options.database));
}

/** One round: what was counted so far, and when it is to end. */
interface Round {
  readonly counts: Map<string, number>;
  readonly signal: AbortSignal;
  /** Waits for all that is due. Otherwise the next round begins while slow keys are in hand still. */
  readonly waits: boolean;
}

/** A kind, and who works on its keys. */
interface RunningKind {
  readonly kind: AnyWorkKind;
  readonly holds: ResourceHolds;
}

class Engine implements WorkEngine {
  readonly #options: Omit<WorkEngineOptions<WorkSchema>, "database">;
  readonly #store: WorkStore;
  readonly #kinds: ReadonlyMap<string, RunningKind>;
  readonly #isTimeTrusted: () => boolean;
  readonly #stopping = new AbortController();
  readonly #queue = new WorkQueue();
  readonly #ownKeys = new OwnKeys();
  readonly #attending = new Set<Promise<Attended>>();

  constructor(options: Omit<WorkEngineOptions<WorkSchema>, "database">, store: WorkStore) {
    const { clock, leases } = options;
    this.#options = options;
    this.#store = store;
    this.#kinds = new Map(
      options.kinds.map((kind) => {
        const shared = kind.isDesiredState && leases !== undefined ? { leases } : {};
        const holds = new ResourceHolds({ clock, leasePrefix: kind.name, ...shared }, this.#stopping.signal);
        return [kind.name, { kind, holds }];
      }),
    );
    this.#isTimeTrusted = options.isTimeTrusted ?? (() => true);
  }

  async runDue(signal = new AbortController().signal): Promise<WorkCounts> {
    const round = { counts: new Map<string, number>(), signal, waits: true };
    await this.#runRound(round, true);
    return round.counts;
  }

  async run(signal: AbortSignal): Promise<void> {
    const { lease, leases } = this.#options;
    // A process that died may have left something outside as no event says it.
    for (const { kind } of this.#kinds.values())
      if (kind.isDesiredState) await this.wake({ kind: kind.name });
    await runUnderLease(leases, lease, (held) => this.#runRounds(held), signal);
  }

  attend(work: WorkKey): Promise<Attended> {
    const attending = this.#attend(work).finally(() => this.#attending.delete(attending));
    this.#attending.add(attending);
    return attending;
  }

  wake(work: Pick<WorkKey, "kind"> & Partial<WorkKey>): Promise<void> {
    const now = this.#options.clock.now();
    this.#ownKeys.makeDue(work, now);
    return this.#store.makeDue(work, now);
  }

  exclusively<Result>({ kind, key }: WorkKey, other: () => Promise<Result>): Promise<Result> {
    return this.#running(kind).holds.exclusively(key, other);
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await Promise.allSettled(this.#attending);
  }

  async #runRounds(signal: AbortSignal): Promise<void> {
    const { clock, intervalMs = defaultIntervalMs } = this.#options;
    let fundsAtMs = Number.NEGATIVE_INFINITY;
    for (const { kind } of this.#kinds.values())
      for (const key of kind.begins.keys)
        this.#ownKeys.begin({ kind: kind.name, key }, addMilliseconds(clock.now(), kind.begins.afterMs));
    try {
      while (!isAborted(signal)) {
        const nowMs = clock.monotonicMilliseconds();
        const isFundsTurn = nowMs - fundsAtMs >= fundsEveryMs;
        if (isFundsTurn) fundsAtMs = nowMs;
        await this.#runRound({ counts: new Map(), signal, waits: false }, isFundsTurn);
        await clock.sleep(intervalMs, signal);
      }
    } finally {
      await this.#queue.idle();
    }
  }

  async #runRound(round: Round, looksForFunds: boolean): Promise<void> {
    const now = this.#options.clock.now();
    const begun = await this.#begin(this.#ownKeys.due(now), round);
    if (round.waits) await Promise.all(begun);
    const latest = addMilliseconds(now, longestWaitMs);
    await this.#eachPage(round, (after) => this.#store.due({ now, latest }, after, pageSize));
    if (looksForFunds) await this.#eachPage(round, (after) => this.#store.awaitingFunds(after, pageSize));
  }

  async #eachPage(round: Round, read: (after: WorkPage) => Promise<readonly DueWork[]>): Promise<void> {
    for (let after: WorkPage | undefined = beforeAllWork; after !== undefined && !isAborted(round.signal);) {
      const page: readonly DueWork[] = await read(after);
      const begun = await this.#begin(page, round);
      if (round.waits) await Promise.all(begun);
      after = page.length === pageSize ? page.at(-1) : undefined;
    }
  }

  async #begin(page: readonly DueWork[], round: Round): Promise<readonly Promise<void>[]> {
    const failures = new Map(
      (await this.#store.failuresOf(page)).map((failure) => [nameOf(failure), failure]),
    );
    return page
      .filter((row) => this.#mayWorkOn(row, round) && (round.waits || this.#queue.hasRoomFor(row)))
      .map((row) => this.#queue.add(row, () => this.#workInRound(row, failures.get(nameOf(row)), round)));
  }

  /** A round that waits reports what could not be written; others log it, and the next round comes back to the key. */
  async #workInRound(row: DueWork, failure: WorkFailure | undefined, round: Round): Promise<void> {
    try {
      await this.#workOnRow(row, failure, round);
    } catch (error) {
      if (round.waits) throw error;
      const { kind, key } = row;
      this.#options.logger.warn({ error, kind, key }, "an attempt could not be recorded, and is made again");
    }
  }

  /** False where only a newer program knows the kind, or while the time is not trusted. */
  #mayWorkOn({ kind: name }: WorkKey, { waits }: Round): boolean {
    const kind = this.#kinds.get(name)?.kind;
    if (kind === undefined || (waits && kind.begins.keys.length > 0)) return false;
    return kind.isDesiredState || this.#isTimeTrusted();
  }

  async #workOnRow(row: DueWork, failure: WorkFailure | undefined, round: Round): Promise<void> {
    const { counts, signal } = round;
    if (isAborted(signal)) return;
    if (failure !== undefined && isPaused(failure, row.due_at, this.#options.clock.now())) {
      await this.#rest(row, { until: failure.retry_at, awaitsFunds: false });
      return;
    }
    const attended = await this.#look(row, failure, signal);
    for (const step of attended.steps) counts.set(step, (counts.get(step) ?? 0) + 1);
    if (attended.end === "failed") {
      counts.set(failedAttempt, (counts.get(failedAttempt) ?? 0) + 1);
      // Where the time has become untrusted, the instants of its pause would be wrong.
      if (this.#mayWorkOn(row, round)) await this.#putFailure(row, failure, attended, row);
    }
    if (attended.end !== "waiting") return;
    if (failure !== undefined) await this.#store.forgetFailure(row);
    await this.#rest(row, this.#soonEnough(attended));
  }

  async #attend(work: WorkKey): Promise<Attended> {
    const failure = await this.#store.failureOf(work);
    const attended = await this.#look(work, failure, this.#stopping.signal);
    if (attended.end === "failed") await this.#putFailure(work, failure, attended);
    if (attended.end === "waiting" && failure !== undefined) await this.#store.forgetFailure(work);
    return attended;
  }

  /** Works on a key, after whoever does so here already. */
  #look(
    { kind: name, key }: WorkKey,
    failure: WorkFailure | undefined,
    signal: AbortSignal,
  ): Promise<Attended> {
    const { clock } = this.#options;
    const { kind, holds } = this.#running(name);
    const attend = (lost: AbortSignal | undefined): Promise<Attended> =>
      kind.attend(key, {
        now: () => clock.now(),
        isTimeTrusted: this.#isTimeTrusted,
        signal: lost === undefined ? signal : AbortSignal.any([signal, lost]),
        failure,
      });
    return holds.attempt(key, attend, busy);
  }

  #running(name: string): RunningKind {
    const running = this.#kinds.get(name);
    if (running === undefined) throw new Error(`There is no work of the kind ${name}`);
    return running;
  }

  /** Writes down when a key is due again, unless it was made due meanwhile. */
  async #rest(row: DueWork, rest: Rest): Promise<void> {
    if (!this.#ownKeys.rest(row, rest.until)) await this.#store.rest(row, rest);
  }

  /** Settings may change what a key waits for, so that it is looked at once a day at least. */
  #soonEnough({ until, awaitsFunds }: Rest): Rest {
    const lookAt = addMilliseconds(this.#options.clock.now(), longestWaitMs);
    return { until: until !== null && until > lookAt ? lookAt : until, awaitsFunds };
  }

  /** Keeps a failed attempt, and makes its key due after the pause. */
  async #putFailure(
    work: WorkKey,
    earlier: WorkFailure | undefined,
    failed: FailedLook,
    row?: DueWork,
  ): Promise<void> {
    const { clock, logger } = this.#options;
    const failure = failureAfter(work, earlier, failed, clock.now());
    const { kind, key, effect, attempts, reason, retry_at: retryAt } = failure;
    logger.warn({ kind, key, effect, attempts, reason, retryAt }, "an attempt failed, and is made again");
    await this.#store.putFailure(failure);
    if (row === undefined) await this.#store.bringForward(work, retryAt);
    else await this.#rest(row, { until: retryAt, awaitsFunds: false });
  }
}

const busy: Attended = { steps: [], end: "due" };
