import { Backoff, type BackoffLimits } from "./async/backoff.ts";
import { backgroundTiming, isAborted, type Timing } from "./async/timing.ts";
import type { Logger } from "./logging.ts";

export interface SuperviseOptions {
  readonly logger: Logger;
  /** Pauses before restarts; after a run longer than the maximum pause they begin again. */
  readonly backoff?: BackoffLimits;
  readonly timing?: Timing;
}

/** A background task that is restarted if it ends. */
export interface SupervisedTask {
  readonly name: string;
  /** `waiting` means that the task failed and will be restarted. */
  readonly state: "running" | "waiting" | "stopped";
  readonly restarts: number;
  /** Stops the task and waits for its end; may be called repeatedly. */
  stop(): Promise<void>;
}

const defaultBackoff: BackoffLimits = { firstMs: 100, longestMs: 10_000 };

/**
 * Runs a task until stopped. A task that throws or returns early is restarted after a pause; the log contains the
 * reason. Its work must be safe to resume.
 *
 * @param run works until the signal aborts, then ends soon by returning or throwing.
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
