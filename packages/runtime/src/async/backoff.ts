import { ExponentialBackoff, halfJitterGenerator, type IBackoff } from "cockatiel";

import { realTiming, type Timing } from "./timing.ts";

/** Limits of the pauses between attempts, in milliseconds. */
export interface BackoffLimits {
  /** First pause; later pauses double. */
  readonly firstMs: number;
  /** Maximum pause. */
  readonly longestMs: number;
  /** Time limit of all attempts; absent means unlimited. */
  readonly overallMs?: number;
}

/** Pauses between attempts, doubling up to a maximum and randomly shortened, so that clients do not retry at once. */
export class Backoff {
  readonly #limits: BackoffLimits;
  readonly #timing: Timing;
  #upcoming: IBackoff<unknown>;
  #endMs: number;

  constructor(limits: BackoffLimits, timing: Timing = realTiming) {
    this.#limits = limits;
    this.#timing = timing;
    this.#upcoming = firstPause(limits);
    this.#endMs = this.#end();
  }

  /** True if the next pause would exceed the time limit. */
  get isOver(): boolean {
    return this.#timing.monotonicMilliseconds() + this.#upcoming.duration >= this.#endMs;
  }

  /** Starts again after a success. */
  reset(): void {
    this.#upcoming = firstPause(this.#limits);
    this.#endMs = this.#end();
  }

  /** Returns the next pause in milliseconds, longer at each call. */
  next(): number {
    const { duration } = this.#upcoming;
    this.#upcoming = this.#upcoming.next(undefined);
    return duration;
  }

  /** Waits for the next pause, or until the signal aborts. */
  pause(signal?: AbortSignal): Promise<void> {
    return this.#timing.sleep(this.next(), signal);
  }

  #end(): number {
    return this.#timing.monotonicMilliseconds() + (this.#limits.overallMs ?? Number.POSITIVE_INFINITY);
  }
}

function firstPause({ firstMs, longestMs }: BackoffLimits): IBackoff<unknown> {
  return new ExponentialBackoff({
    initialDelay: firstMs,
    maxDelay: longestMs,
    generator: halfJitterGenerator,
  }).next();
}

export interface RetryOptions {
  readonly backoff: Backoff;
  /** Returns true for a failure worth retrying. Default: every failure. */
  readonly mayPass?: (error: unknown) => boolean;
  /** Maximum attempts, the first included. Default: limited by the backoff only. */
  readonly attempts?: number;
  /** Stops further attempts when aborted. */
  readonly signal?: AbortSignal;
}

/** Retries until success, with pauses. @throws the last attempt's error */
export async function retry<Result>(
  attempt: () => Promise<Result>,
  { backoff, mayPass = () => true, attempts = Number.POSITIVE_INFINITY, signal }: RetryOptions,
): Promise<Result> {
  for (let tried = 1; ; tried += 1) {
    try {
      return await attempt();
    } catch (error) {
      if (tried >= attempts || backoff.isOver || !mayPass(error)) throw error;
      await backoff.pause(signal);
      if (signal?.aborted === true) throw error;
    }
  }
}
