import { addMilliseconds } from "@hostledger/core";
import type { ReadModelDatabase } from "@hostledger/projections";
import type { Clock, Logger } from "@hostledger/runtime";
import { Backoff, isAborted, KeyedMutex, type BackoffLimits } from "@hostledger/runtime/async";

import type { AnyWorkKind, Attended } from "./work-kind.ts";
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
  /** Does everything that is due now, once, and looks at what waits for money. */
  runDue(signal?: AbortSignal): Promise<WorkCounts>;
  /** Works on one key now, for a request that waits for the outcome. */
  attend(work: WorkKey): Promise<Attended>;
  /** Goes on until the signal aborts. */
  run(signal: AbortSignal): Promise<void>;
}

const defaultIntervalMs = 1_000;

/** How often keys that wait for money are looked at, in milliseconds: each look reads a balance. */
const fundsEveryMs = 30_000;

/** How long a key waits at most, in milliseconds. */
const longestWaitMs = 86_400_000;

/** Keys read at a time, and accounts worked for at a time. */
const pageSize = 1_000;
const concurrency = 16;

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
}

class Engine implements WorkEngine {
  readonly #options: Omit<WorkEngineOptions<WorkSchema>, "database">;
  readonly #store: WorkStore;
  readonly #kinds: ReadonlyMap<string, AnyWorkKind>;
  readonly #isTimeTrusted: () => boolean;
  readonly #oneAtATime = new KeyedMutex<string>();

  constructor(options: Omit<WorkEngineOptions<WorkSchema>, "database">, store: WorkStore) {
    this.#options = options;
    this.#store = store;
    this.#kinds = new Map(options.kinds.map((kind) => [kind.name, kind]));
    this.#isTimeTrusted = options.isTimeTrusted ?? (() => true);
  }

  runDue(signal = new AbortController().signal): Promise<WorkCounts> {
    return this.#runRound(signal, true);
  }

  async run(signal: AbortSignal): Promise<void> {
    const { clock, intervalMs = defaultIntervalMs } = this.#options;
    let fundsAtMs = Number.NEGATIVE_INFINITY;
    while (!isAborted(signal)) {
      const nowMs = clock.monotonicMilliseconds();
      const isFundsTurn = nowMs - fundsAtMs >= fundsEveryMs;
      if (isFundsTurn) fundsAtMs = nowMs;
      await this.#runRound(signal, isFundsTurn);
      await clock.sleep(intervalMs, signal);
    }
  }

  async attend(work: WorkKey): Promise<Attended> {
    const row = await this.#store.row(work);
    const [failure] = (await this.#store.failuresOf([work])).filter(({ kind }) => kind === work.kind);
    const attended = await this.#attend(work, new AbortController().signal);
    await this.#record(work, row, failure, attended);
    return attended;
  }

  async #runRound(signal: AbortSignal, looksForFunds: boolean): Promise<WorkCounts> {
    const counts = new Map<string, number>();
    if (!this.#isTimeTrusted()) return counts;
    const now = this.#options.clock.now();
    const round = { counts, signal };
    await this.#eachPage(round, (after) => this.#store.due(now, after, pageSize));
    if (looksForFunds) await this.#eachPage(round, (after) => this.#store.awaitingFunds(after, pageSize));
    return counts;
  }

  async #eachPage(round: Round, read: (after: WorkPage) => Promise<readonly DueWork[]>): Promise<void> {
    for (let after: WorkPage | undefined = beforeAllWork; after !== undefined && !isAborted(round.signal);) {
      const page: readonly DueWork[] = await read(after);
      await this.#workOn(page, round);
      after = page.length === pageSize ? page.at(-1) : undefined;
    }
  }

  /** Works on the keys of each account one after the other, so that a customer with many keys keeps nobody else waiting. */
  async #workOn(page: readonly DueWork[], round: Round): Promise<void> {
    const failures = new Map(
      (await this.#store.failuresOf(page)).map((failure) => [nameOf(failure), failure]),
    );
    const queues = Map.groupBy(page, (row) => row.account_id ?? nameOf(row)).values();
    const lanes = Array.from({ length: concurrency }, async () => {
      for (const queue of queues)
        for (const row of queue) {
          if (isAborted(round.signal)) return;
          await this.#workOnRow(row, failures.get(nameOf(row)), round);
        }
    });
    await Promise.all(lanes);
  }

  async #workOnRow(row: DueWork, failure: WorkFailure | undefined, { counts, signal }: Round): Promise<void> {
    // A rebuild makes a key due before its pause is over.
    const isPaused =
      failure !== undefined &&
      failure.retry_at > this.#options.clock.now() &&
      (row.due_at ?? "") <= failure.failed_at;
    if (isPaused) {
      await this.#store.rest(row, { until: failure.retry_at, awaitsFunds: false });
      return;
    }
    const attended = await this.#attend(row, signal);
    for (const step of attended.steps) counts.set(step, (counts.get(step) ?? 0) + 1);
    if (attended.end === "failed") counts.set(failedAttempt, (counts.get(failedAttempt) ?? 0) + 1);
    await this.#record(row, row, failure, attended);
  }

  /** Works on a key, after whoever does so here already. */
  async #attend(work: WorkKey, signal: AbortSignal): Promise<Attended> {
    const kind = this.#kinds.get(work.kind);
    // Only a newer program knows its kind.
    if (kind === undefined) return { steps: [], end: "due" };
    const { clock } = this.#options;
    const look = {
      now: () => clock.now(),
      isTimeTrusted: this.#isTimeTrusted,
      isStopping: () => isAborted(signal),
    };
    return this.#oneAtATime.run(nameOf(work), () => kind.attend(work.key, look));
  }

  /** Settings may change what a key waits for, so that it is looked at once a day at least. */
  #soonEnough({ until, awaitsFunds }: Rest): Rest {
    const lookAt = addMilliseconds(this.#options.clock.now(), longestWaitMs);
    return { until: until !== null && until > lookAt ? lookAt : until, awaitsFunds };
  }

  /** Writes down what came of a look, and when the next one is due. */
  async #record(
    work: WorkKey,
    row: DueWork | undefined,
    earlier: WorkFailure | undefined,
    attended: Attended,
  ): Promise<void> {
    switch (attended.end) {
      case "due":
        return;
      case "waiting":
        if (earlier !== undefined) await this.#store.forgetFailure(work);
        if (row !== undefined) await this.#store.rest(row, this.#soonEnough(attended));
        return;
      case "failed": {
        // Its instants would be wrong.
        if (!this.#isTimeTrusted()) return;
        const { clock, logger } = this.#options;
        const { effect, reason, retry } = attended;
        const failedAt = clock.now();
        const isAgain = earlier?.effect === effect;
        const attempts = isAgain ? earlier.attempts + 1 : 1;
        const retryAt = addMilliseconds(failedAt, pauseBefore(attempts, retry));
        logger.warn({ ...work, effect, attempts, reason, retryAt }, "an attempt failed, and is made again");
        await this.#store.putFailure({
          kind: work.kind,
          key: work.key,
          effect,
          attempts,
          reason,
          failing_since: isAgain ? earlier.failing_since : failedAt,
          failed_at: failedAt,
          retry_at: retryAt,
        });
        if (row !== undefined) await this.#store.rest(row, { until: retryAt, awaitsFunds: false });
      }
    }
  }
}

function nameOf({ kind, key }: WorkKey): string {
  return `${kind}/${key}`;
}

/** Attempts after which the pause has long been the longest. */
const countedAttempts = 40;

function pauseBefore(attempts: number, limits: BackoffLimits): number {
  const backoff = new Backoff(limits);
  let pauseMs = backoff.next();
  for (let made = 1; made < Math.min(attempts, countedAttempts); made += 1) pauseMs = backoff.next();
  return Math.ceil(pauseMs);
}
