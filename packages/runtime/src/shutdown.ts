import { within } from "./async/limits.ts";
import { realTiming } from "./async/timing.ts";
import type { Logger } from "./logging.ts";

/** Closes what was opened, the last first, each within its time. */
export interface Shutdown {
  /**
   * Adds a step as soon as there is something to close. Steps run in the reverse order of being added. One that comes when all is
   * closed, from a start that was given up, runs at once.
   */
  add(name: string, close: () => Promise<void> | void): void;
  /**
   * Runs all steps, also when some fail or take too long, which the log says. Later calls get the first one's answer.
   *
   * @returns true when every step ended in time and without an error.
   */
  run(): Promise<boolean>;
}

/** How a shutdown is done. */
export interface ShutdownOptions {
  readonly logger: Logger;
  /** How long one step is waited for. */
  readonly stepLimitMs: number;
  /** How long all of them are waited for together; from then on each step is begun and has a moment. Default: no limit. */
  readonly limitMs?: number;
}

/** What a step has at least, in milliseconds, when those before it have used up the time of all. */
const leastStepMs = 200;

/**
 * Starts something that a wish to stop may end at any moment: what it has opened by then is closed, and what it opens afterwards,
 * before it has noticed, is closed at once. Where it fails by itself, what it has opened is closed, too.
 *
 * @param stopping aborts with the error that this then throws.
 */
export async function startOrClose<Started>(
  shutdown: Shutdown,
  stopping: AbortSignal | undefined,
  start: () => Promise<Started>,
): Promise<Started> {
  const { promise: stopped, reject } = Promise.withResolvers<never>();
  // It may be nobody's any more when it comes.
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

/** A shutdown without steps. */
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
