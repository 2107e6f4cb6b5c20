import type { ReadModelDatabase } from "@hostledger/read";
import type { Clock, Logger } from "@hostledger/runtime";

import type { Leases } from "../leases/index.ts";
import type { RunContext } from "../process-definition.ts";
import type { AnyWorkKind, Attended } from "./work-kind.ts";
import type { WorkKey, WorkSchema } from "./work.table.ts";

/** What an engine is made of. */
export interface WorkEngineOptions<Tables extends WorkSchema> {
  readonly database: ReadModelDatabase<Tables>;
  readonly kinds: readonly AnyWorkKind[];
  readonly clock: Clock;
  readonly logger: Pick<Logger, "warn">;
  /** The lease of the rounds, for example `lifecycle-domain`. Left out where every process runs rounds, and claims each key. */
  readonly lease?: string;
  /** Left out where there is one process. */
  readonly leases?: Leases | undefined;
  /** False while nothing may be done because of the time alone. Default: always true. */
  readonly isTimeTrusted?: (() => boolean) | undefined;
  /** Pause between two rounds, in milliseconds. Default: 1 s. */
  readonly intervalMs?: number | undefined;
}

/** How a request works on a key. */
export interface AttendOptions {
  /** How long to wait while somebody else works on the key. Default: until this process has done so, and not for another one. */
  readonly limitMs?: number;
  /**
   * Begins the work, now that nobody else works on the key.
   * @returns for whom; `{}` where somebody may have attempted the work before; undefined where there is nothing to work on.
   */
  readonly begin?: () => Promise<{ readonly context?: RunContext } | undefined>;
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
   * Works on one key now, for a request, up to the attempt after which the request is told. The rounds go on with the work.
   * @returns `due` where somebody else works on the key, or what was attempted could not be recorded.
   * @throws what `begin` throws.
   */
  attend(work: WorkKey, options?: AttendOptions): Promise<Attended>;
  /** Makes a key due now, or every key of a kind: something outside may have changed, and no event says so. */
  wake(work: Pick<WorkKey, "kind"> & Partial<WorkKey>): Promise<void>;
  /** Does other work on a key's resource while the engine in this process does none on it. */
  exclusively<Result>(work: WorkKey, other: () => Promise<Result>): Promise<Result>;
  /** Runs rounds under the lease until the signal aborts; the attempts in hand end first. */
  run(signal: AbortSignal): Promise<void>;
  /** Lets the attempts for requests end, and makes no more. */
  stop(): Promise<void>;
}
