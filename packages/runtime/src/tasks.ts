import { Backoff, type BackoffLimits } from "./async/backoff.ts";
import { backgroundTiming, isAborted, type Timing } from "./async/timing.ts";
import type { Logger } from "./logging.ts";

/** What a task is given. */
export interface SuperviseOptions {
  readonly logger: Logger;
  /**
   * How long to wait before a failed task is started again. A task that ran for longer than the longest wait has
   * recovered: its next wait is the first one again.
   */
  readonly backoff?: BackoffLimits;
  readonly timing?: Timing;
}

/** A background task that is kept running. */
export interface SupervisedTask {
  readonly name: string;
  /** What it is doing; `waiting` means that it failed and will be started again. */
  readonly state: "running" | "waiting" | "stopped";
  /** How many times it had to be started again. */
  readonly restarts: number;
  /** Tells the task to end and waits until it has. May be called more than once. */
  stop(): Promise<void>;
}

const defaultBackoff: BackoffLimits = { firstMs: 100, longestMs: 10_000 };

/**
 * Keeps a task running until it is stopped. A task that throws, or returns though nobody told it to, is started again
 * after a wait; the log says why. Its work must be safe to take up again.
 *
 * @param run works until the signal aborts, then ends soon, by returning or throwing.
 */
export function supervise(
  name: string,
  run: (signal: AbortSignal) => Promise<void>,
  { logger, backoff: limits = defaultBackoff, timing = backgroundTiming }: SuperviseOptions,
): SupervisedTask {
  const stopping = new AbortController();
  const { signal } = stopping;
  let state: SupervisedTask["state"] = "running";
  let restarts = 0;

  async function keepRunning(): Promise<void> {
    const backoff = new Backoff(limits, timing);
    while (!signal.aborted) {
      const startedMs = timing.monotonicMilliseconds();
      state = "running";
      const failure = await failureOf(run, signal);
      if (isAborted(signal)) break;
      if (timing.monotonicMilliseconds() - startedMs > limits.longestMs) backoff.reset();
      const waitMs = backoff.next();
      logger.error(
        { task: name, error: failure, waitMs },
        "a background task ended and will be started again",
      );
      state = "waiting";
      restarts += 1;
      await timing.sleep(waitMs, signal);
    }
    state = "stopped";
  }

  const ended = keepRunning();
  return {
    name,
    get state() {
      return state;
    },
    get restarts() {
      return restarts;
    },
    stop() {
      stopping.abort();
      return ended;
    },
  };
}

async function failureOf(run: (signal: AbortSignal) => Promise<void>, signal: AbortSignal): Promise<unknown> {
  try {
    await run(signal);
    return new Error("it returned before it was told to stop");
  } catch (error) {
    return error;
  }
}
