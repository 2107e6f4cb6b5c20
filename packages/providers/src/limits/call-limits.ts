import { realTiming, Semaphore, SemaphoreFullError, within, type Timing } from "@hostledger/runtime/async";

import { refused, unknown, type Outcome } from "../outcome.ts";

/** How much is asked of an outside provider at a time, and how long an answer is waited for. */
export interface CallLimits {
  /** How long a call may take, counted from when it is made. A call may wait as long again for its turn. */
  readonly timeLimitMs: number;
  /** So many calls are under way at the same time. */
  readonly concurrency: number;
  /** So many more may wait for their turn. */
  readonly queue: number;
}

/** Makes a call within the limits. The promise always resolves: with the call's own outcome, or with one that has no value. */
export type LimitedCall = <Answer>(call: () => Promise<Answer>) => Promise<Answer | Outcome<never>>;

/**
 * Limits the calls to one provider. Whatever the provider does, every call settles: one that takes too long or fails in an
 * unforeseen way is `unknown`, since it may have been carried out; one that never got its turn is refused, since
 * nothing was sent. Trying again is the process's own affair.
 */
export function limitCalls(
  { timeLimitMs, concurrency, queue }: CallLimits,
  timing: Timing = realTiming,
): LimitedCall {
  const semaphore = new Semaphore({ permits: concurrency, waiting: queue });
  return async (call) => {
    const askedAtMs = timing.monotonicMilliseconds();
    try {
      return await semaphore.run(() => {
        // Behind calls that all run into their time limit, a long queue would keep the last ones for minutes.
        if (timing.monotonicMilliseconds() - askedAtMs > timeLimitMs) return Promise.resolve(tooBusy);
        return within(
          timeLimitMs,
          call(),
          () => unknown(`No answer came within ${String(timeLimitMs)} ms.`),
          timing,
        );
      });
    } catch (error) {
      if (error instanceof SemaphoreFullError) return tooBusy;
      return unknown(`The call failed: ${error instanceof Error ? error.message : String(error)}`);
    }
  };
}

const tooBusy = refused("unreachable", "Too many calls are waiting; this one was not made.");
