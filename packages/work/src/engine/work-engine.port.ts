import type { ReadModelDatabase } from "@hostledger/read";
import type { Clock, Logger } from "@hostledger/runtime";

import type { Leases } from "../leases/index.ts";
import type { RunContext } from "../process-definition.ts";
import type { AnyWorkKind, Attended } from "./work-kind.ts";
import type { WorkKey, WorkSchema } from "./work.table.ts";

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
  /** Pause between two rounds under the lease, in milliseconds. Default: 1 s. */
  readonly intervalMs?: number | undefined;
}

export interface AttendOptions {
  /**
   * Maximum wait while another worker has the key, in milliseconds. Default: until this process has finished; other
   * processes are not awaited.
   */
  readonly limitMs?: number;
  /**
   * Begins the work, now that nobody else works on the key.
   * @returns for whom; `{}` where somebody may have attempted the work before; undefined where there is nothing to work on.
   */
  readonly begin?: () => Promise<{ readonly context?: RunContext } | undefined>;
}

/** Number of steps taken, by the step's name. */
export type WorkCounts = ReadonlyMap<string, number>;

/** Name in {@link WorkCounts} under which failed attempts are counted. */
export const failedAttempt = "failed attempt";

/**
 * Carries out a service's work that needs no request (ADR 0180). Several engines may run over one store, because
 * every effect is safe to repeat and the expected revision of a stream settles races.
 */
export interface WorkEngine {
  /** Does everything that is due under the lease, once, and checks the keys that wait for money. */
  runDue(signal?: AbortSignal): Promise<WorkCounts>;
  /**
   * Works on one key for a request until the attempt after which the request gets an answer. Later rounds continue
   * the work.
   * @returns `due` if another worker has the key, or if the attempt could not be recorded.
   * @throws Every error of `begin`.
   */
  attend(work: WorkKey, options?: AttendOptions): Promise<Attended>;
  /** Makes a key due now, or every key of a kind: something outside may have changed, and no event says so. */
  wake(work: Pick<WorkKey, "kind"> & Partial<WorkKey>): Promise<void>;
  /** Does other work on a key's resource while the engine in this process does none on it. */
  exclusively<Result>(work: WorkKey, other: () => Promise<Result>): Promise<Result>;
  /** Runs rounds under the lease until the signal aborts; running attempts end first. */
  run(signal: AbortSignal): Promise<void>;
  /** Runs the rounds of the kinds that run in every process until the signal aborts; running attempts end first. */
  runInEveryProcess(signal: AbortSignal): Promise<void>;
  /** Waits for running attempts of requests, and starts no more. */
  stop(): Promise<void>;
}
