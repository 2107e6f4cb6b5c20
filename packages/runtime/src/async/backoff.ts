import { ExponentialBackoff, halfJitterGenerator, type IBackoff } from "cockatiel";

import { realTiming, type Timing } from "./timing.ts";

/** Bounds of the pauses between attempts at one thing, in milliseconds. */
export interface BackoffLimits {
  /** The first pause; each later one is twice as long. */
  readonly firstMs: number;
  /** The longest pause. */
  readonly longestMs: number;
  /** How long is tried in all; without it there is no end. */
  readonly overallMs?: number;
}

/**
 * The pauses between attempts at one thing: they double up to the longest, and each is up to a half shorter by chance,
 * so that not everybody comes back at one moment.
 */
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

  /** True when the time for all attempts is over before the next pause is. */
  get isOver(): boolean {
    return this.#timing.monotonicMilliseconds() + this.#upcoming.duration >= this.#endMs;
  }

  /** An attempt succeeded: it begins anew. */
  reset(): void {
    this.#upcoming = firstPause(this.#limits);
    this.#endMs = this.#end();
  }

  /** How long to wait now, in milliseconds; asked again, the next and longer pause. */
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

/** What is tried again. */
export interface RetryOptions {
  readonly backoff: Backoff;
  /** Whether a failure is one that may pass. Default: every one. */
  readonly mayPass?: (error: unknown) => boolean;
  /** Attempts in all, the first included. Default: as many as the backoff's time allows. */
  readonly attempts?: number;
  /** Nothing is tried any more once it has aborted. */
  readonly signal?: AbortSignal;
}

/** Tries until it succeeds, with pauses. @throws what the last attempt threw */
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
