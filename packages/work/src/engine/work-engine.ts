import { addMilliseconds } from "@hostledger/core";
import { runUnderLease } from "../leases/index.ts";
import { ownerOf } from "@hostledger/rpc";
import { isAborted, onBehalfOf } from "@hostledger/runtime/async";

import { ResourceHolds } from "../resource-holds.ts";
import { OwnKeys } from "./own-keys.ts";
import { failureAfter, isPaused } from "./work-failures.ts";
import type { AnyWorkKind, Attended, Look } from "./work-kind.ts";
import {
  failedAttempt,
  type AttendOptions,
  type WorkCounts,
  type WorkEngine,
  type WorkEngineOptions,
} from "./work-engine.port.ts";
import { dueRows, WorkQueue, type QueuedWork } from "./work-queue.ts";
import {
  beforeAllWork,
  longestWaitMs,
  openWorkStore,
  type DueWork,
  type Rest,
  soonEnough,
  type WorkPage,
  type WorkStore,
} from "./work-store.ts";
import type { WorkKey, WorkSchema } from "./work.table.ts";

const defaultIntervalMs = 1_000;

/** Interval between two rounds of the kinds that run in every process, in milliseconds. */
const everyProcessIntervalMs = 5_000;

/** Interval between checks of keys that wait for money, in milliseconds: each check reads a balance. */
const fundsEveryMs = 30_000;

const pageSize = 1_000;

export async function openWorkEngine<Tables extends WorkSchema>(
  options: WorkEngineOptions<Tables>,
): Promise<WorkEngine> {
  return createWorkEngine(options, await openWorkStore(options.database));
}

export function createWorkEngine(
  options: Omit<WorkEngineOptions<WorkSchema>, "database">,
  store: WorkStore,
): WorkEngine {
  return new Engine(options, store);
}

/** One round: the kinds of its keys, its counts so far and its end. */
interface Round {
  readonly kinds: readonly AnyWorkKind[];
  readonly counts: Map<string, number>;
  readonly signal: AbortSignal;
  /** True to wait for all due keys; if false, the next round begins while slow keys still run. */
  readonly waits: boolean;
}

interface LookOptions extends Pick<Look, "failure" | "context" | "signal"> {
  /** Aborts when another process may work on the key from now on. */
  readonly lost: AbortSignal | undefined;
  /** Row of the key, if the table has one. */
  readonly row?: DueWork;
}

class Engine implements WorkEngine {
  readonly #options: Omit<WorkEngineOptions<WorkSchema>, "database">;
  readonly #store: WorkStore;
  readonly #kinds: ReadonlyMap<string, { readonly kind: AnyWorkKind; readonly holds: ResourceHolds }>;
  readonly #underLease: readonly AnyWorkKind[];
  readonly #isTimeTrusted: () => boolean;
  readonly #stopping = new AbortController();
  readonly #queue = new WorkQueue();
  readonly #ownKeys = new OwnKeys();
  readonly #attending = new Set<Promise<Attended>>();

  constructor(options: Omit<WorkEngineOptions<WorkSchema>, "database">, store: WorkStore) {
    const { clock, leases } = options;
    this.#options = options;
    this.#store = store;
    this.#underLease = options.kinds.filter(({ inEveryProcess = false }) => !inEveryProcess);
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
    const round = { kinds: this.#underLease, counts: new Map<string, number>(), signal, waits: true };
    await this.#runRound(round, true);
    return round.counts;
  }

  async run(signal: AbortSignal): Promise<void> {
    const { lease, leases, intervalMs = defaultIntervalMs } = this.#options;
    // A process that died may have left something outside as no event says it.
    for (const { name, isDesiredState, due } of this.#underLease)
      if (isDesiredState && due === undefined) await this.wake({ kind: name });
    const rounds = (held: AbortSignal) => this.#runRounds(this.#underLease, intervalMs, held);
    await runUnderLease(leases, lease, rounds, signal);
  }

  runInEveryProcess(signal: AbortSignal): Promise<void> {
    const kinds = this.#options.kinds.filter(({ inEveryProcess }) => inEveryProcess);
    return this.#runRounds(kinds, everyProcessIntervalMs, signal);
  }

  attend(work: WorkKey, options: AttendOptions = {}): Promise<Attended> {
    const attending = this.#attend(work, options).finally(() => this.#attending.delete(attending));
    this.#attending.add(attending);
    return attending;
  }

  wake(work: Pick<WorkKey, "kind"> & Partial<WorkKey>): Promise<void> {
    const now = this.#options.clock.now();
    this.#ownKeys.makeDue(work, now);
    const { kind, key } = work;
    // The kind's own table says when the key is due, so only a pause after a failed attempt prevents the
    // work.
    if (key !== undefined && this.#running(kind).kind.due !== undefined)
      return this.#store.forgetFailure({ kind, key });
    return this.#store.makeDue(work, now);
  }

  exclusively<Result>({ kind, key }: WorkKey, other: () => Promise<Result>): Promise<Result> {
    return this.#running(kind).holds.exclusively(key, other);
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await Promise.allSettled(this.#attending);
  }

  async #runRounds(kinds: Round["kinds"], intervalMs: number, signal: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    let fundsAtMs = Number.NEGATIVE_INFINITY;
    for (const { name, begins } of kinds)
      for (const key of begins.keys)
        this.#ownKeys.begin({ kind: name, key }, addMilliseconds(clock.now(), begins.afterMs));
    try {
      while (!isAborted(signal)) {
        const nowMs = clock.monotonicMilliseconds();
        const isFundsTurn = nowMs - fundsAtMs >= fundsEveryMs;
        if (isFundsTurn) fundsAtMs = nowMs;
        await this.#runRound({ kinds, counts: new Map(), signal, waits: false }, isFundsTurn);
        await clock.sleep(intervalMs, signal);
      }
    } finally {
      await this.#queue.idle();
    }
  }

  async #runRound(round: Round, looksForFunds: boolean): Promise<void> {
    const now = this.#options.clock.now();
    const begun = this.#begin(this.#ownKeys.due(now), round);
    if (round.waits) await Promise.all(begun);
    for (const { name, due } of round.kinds)
      if (due !== undefined) await this.#eachPage(round, dueRows(name, due, now, pageSize));
    // The other kinds have keys of their own, so the table has none of theirs.
    if (round.kinds.every(({ begins, due }) => due !== undefined || begins.keys.length > 0)) return;
    const latest = addMilliseconds(now, longestWaitMs);
    await this.#eachPage(round, (after) => this.#store.due({ now, latest }, after, pageSize));
    if (looksForFunds) await this.#eachPage(round, (after) => this.#store.awaitingFunds(after, pageSize));
  }

  async #eachPage(round: Round, read: (after: WorkPage) => Promise<readonly QueuedWork[]>): Promise<void> {
    for (let after: WorkPage | undefined = beforeAllWork; after !== undefined && !isAborted(round.signal);) {
      const page: readonly QueuedWork[] = await read(after);
      const begun = this.#begin(page, round);
      if (round.waits) await Promise.all(begun);
      after = page.length === pageSize ? page.at(-1) : undefined;
    }
  }

  #begin(page: readonly QueuedWork[], round: Round): readonly Promise<void>[] {
    return page
      .filter((row) => this.#mayWorkOn(row, round) && (round.waits || this.#queue.hasRoomFor(row)))
      .map((row) => this.#queue.add(row, () => this.#workInRound(row, round)));
  }

  /**
   * Works on a key in a round. A round that waits throws write errors; other rounds log them, and the next round
   * tries the key again.
   */
  async #workInRound(row: DueWork, round: Round): Promise<void> {
    try {
      await this.#workOnRow(row, round);
    } catch (error) {
      if (round.waits) throw error;
      this.#notRecorded(row, error);
    }
  }

  #notRecorded({ kind, key }: WorkKey, error: unknown): void {
    this.#options.logger.warn({ error, kind, key }, "an attempt could not be recorded, and is made again");
  }

  /** False where only a newer program knows the kind, or while the time is not trusted. */
  #mayWorkOn(row: WorkKey, { kinds, waits }: Round): boolean {
    const kind = kinds.find(({ name }) => name === row.kind);
    if (kind === undefined || (waits && kind.begins.keys.length > 0)) return false;
    return !kind.needsTrustedTime || this.#isTimeTrusted();
  }

  async #workOnRow(row: DueWork, round: Round): Promise<void> {
    const { counts, signal } = round;
    if (isAborted(signal)) return;
    const { account_id: accountId } = row;
    const attempt = () => this.#attemptRow(row, round);
    const owner = accountId === null ? undefined : ownerOf({ kind: "account", accountId });
    const attended = await (owner === undefined ? attempt() : onBehalfOf(owner, attempt));
    if (attended === undefined) return;
    for (const step of attended.steps) counts.set(step, (counts.get(step) ?? 0) + 1);
    if (attended.end === "failed") counts.set(failedAttempt, (counts.get(failedAttempt) ?? 0) + 1);
  }

  #attemptRow(row: DueWork, { signal, waits }: Round): Promise<Attended | undefined> {
    const { holds } = this.#running(row.kind);
    return holds.attempt(row.key, waits ? undefined : 0, async (lost) => {
      const failure = await this.#store.failureOf(row);
      if (failure === undefined || !isPaused(failure, row.due_at, this.#options.clock.now()))
        return this.#look(row, { failure, signal, lost, row });
      await this.#rest(row, { until: failure.retry_at, awaitsFunds: false });
      return busy;
    });
  }

  async #attend(work: WorkKey, { limitMs, begin }: AttendOptions): Promise<Attended> {
    const { holds } = this.#running(work.kind);
    const stopping = this.#stopping.signal;
    for (let isFirst = true; ; isFirst = false) {
      const attended = await holds.attempt(work.key, limitMs, async (lost): Promise<Attended> => {
        const begun = isFirst && begin !== undefined ? await begin() : {};
        if (begun === undefined) return busy;
        try {
          const { context } = begun;
          const failure = context === undefined ? await this.#store.failureOf(work) : undefined;
          return await this.#look(work, { failure, signal: stopping, lost, context });
        } catch (error) {
          this.#notRecorded(work, error);
          return busy;
        }
      });
      if (attended?.end !== "failed" || attended.isInSight || isAborted(stopping)) return attended ?? busy;
      await this.#options.clock.sleep(attended.retry.firstMs, stopping);
    }
  }

  /** Works on a key that has no other worker, and records the result. */
  async #look(work: WorkKey, { failure, signal, lost, context, row }: LookOptions): Promise<Attended> {
    const { clock, logger } = this.#options;
    const { kind } = this.#running(work.kind);
    const attended = await kind.attend(work.key, {
      now: () => clock.now(),
      isTimeTrusted: this.#isTimeTrusted,
      signal: lost === undefined ? signal : AbortSignal.any([signal, lost]),
      failure,
      context,
    });
    if (attended.end === "waiting") {
      if (failure !== undefined) await this.#store.forgetFailure(work);
      if (row !== undefined) await this.#rest(row, soonEnough(attended, clock.now()));
    }
    // If the clock is not trusted, the end of the pause would be wrong.
    if (attended.end !== "failed" || (kind.needsTrustedTime && !this.#isTimeTrusted())) return attended;
    const failed = failureAfter(work, failure, attended, clock.now());
    const { kind: name, key, effect, attempts, reason, retry_at: retryAt } = failed;
    if (attended.retryAt === undefined)
      logger.warn(
        { kind: name, key, effect, attempts, reason, retryAt },
        "an attempt failed, and is made again",
      );
    await this.#store.putFailure(failed);
    if (row === undefined) await this.#store.bringForward(work, retryAt);
    else await this.#rest(row, { until: retryAt, awaitsFunds: false });
    return attended;
  }

  #running(name: string) {
    const running = this.#kinds.get(name);
    if (running === undefined) throw new Error(`There is no work of the kind ${name}`);
    return running;
  }

  /** Writes down when a key is due again, unless it was made due meanwhile. */
  async #rest(row: DueWork, rest: Rest): Promise<void> {
    if (!this.#ownKeys.rest(row, rest.until)) await this.#store.rest(row, rest);
  }
}

const busy: Attended = { steps: [], end: "due" };
