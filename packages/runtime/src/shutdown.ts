import { within } from "./async/limits.ts";
import { realTiming } from "./async/timing.ts";
import type { Logger } from "./logging.ts";

/** Closes resources in reverse order, each with a time limit. */
export interface Shutdown {
  /** Adds a closing step; steps run in reverse order. A step added after the shutdown runs at once. */
  add(name: string, close: () => Promise<void> | void): void;
  /** Runs all steps once, even if some fail, which is logged. @returns true if all succeeded in time */
  run(): Promise<boolean>;
}

export interface ShutdownOptions {
  readonly logger: Logger;
  /** Time limit of a step, in milliseconds. */
  readonly stepLimitMs: number;
  /** Time limit of all steps in milliseconds; afterwards each step still gets a moment. Default: unlimited. */
  readonly limitMs?: number;
}

/** Minimum milliseconds of a step after the total time is used up. */
const leastStepMs = 200;

/**
 * Starts something that may be stopped at any moment. Opened resources are closed then, and resources opened later at
 * once. If the start fails, opened resources are closed too.
 *
 * @param stopping aborts with the error to throw.
 */
export async function startOrClose<Started>(
  shutdown: Shutdown,
  stopping: AbortSignal | undefined,
  start: () => Promise<Started>,
): Promise<Started> {
  const { promise: stopped, reject } = Promise.withResolvers<never>();
  // The rejection may come after everybody stopped waiting.
  stopped.catch(() => undefined);
  const stop = (): void => {
    reject(stopping?.reason);
  };
  stopping?.addEventListener("abort", stop);
  try {
    stopping?.throwIfAborted();
    return await Promise.race([start(), stopped]);
  } catch (error) {
    await shutdown.run();
    throw error;
  } finally {
    stopping?.removeEventListener("abort", stop);
  }
}

export function createShutdown({
  logger,
  stepLimitMs,
  limitMs = Number.POSITIVE_INFINITY,
}: ShutdownOptions): Shutdown {
  const steps: { readonly name: string; readonly close: () => Promise<void> | void }[] = [];
  let running: Promise<boolean> | undefined;
  let isOver = false;

  async function runAll(): Promise<boolean> {
    let clean = true;
    const endMs = realTiming.monotonicMilliseconds() + limitMs;
    for (let step = steps.pop(); step !== undefined; step = steps.pop()) {
      const { name, close } = step;
      try {
        const leftMs = Math.max(leastStepMs, endMs - realTiming.monotonicMilliseconds());
        const waitMs = Math.min(stepLimitMs, Math.ceil(leftMs));
        await within(waitMs, Promise.resolve(close()), () => {
          throw new Error(`it did not end within ${String(waitMs)} ms`);
        });
        logger.debug({ step: name }, "closed");
      } catch (error) {
        clean = false;
        logger.error({ step: name, error }, "a step of the shutdown failed; the others go on");
      }
    }
    isOver = true;
    return clean;
  }

  return {
    add(name, close) {
      steps.push({ name, close });
      if (isOver) void runAll();
    },
    run: () => (running ??= runAll()),
  };
}
