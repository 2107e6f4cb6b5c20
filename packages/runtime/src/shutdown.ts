import { within } from "./async/limits.ts";
import type { Logger } from "./logging.ts";

/** Closes what was opened, the last first, each within its time. */
export interface Shutdown {
  /** Adds a step as soon as there is something to close. Steps run in the reverse order of being added. */
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
}

/** A shutdown without steps. */
export function createShutdown({ logger, stepLimitMs }: ShutdownOptions): Shutdown {
  const steps: { readonly name: string; readonly close: () => Promise<void> | void }[] = [];
  let running: Promise<boolean> | undefined;

  async function runAll(): Promise<boolean> {
    let clean = true;
    for (let step = steps.pop(); step !== undefined; step = steps.pop()) {
      const { name, close } = step;
      try {
        await within(stepLimitMs, Promise.resolve(close()), () => {
          throw new Error(`it did not end within ${String(stepLimitMs)} ms`);
        });
        logger.debug({ step: name }, "closed");
      } catch (error) {
        clean = false;
        logger.error({ step: name, error }, "a step of the shutdown failed; the others go on");
      }
    }
    return clean;
  }

  return {
    add(name, close) {
      steps.push({ name, close });
    },
    run: () => (running ??= runAll()),
  };
}
