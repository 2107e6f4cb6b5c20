import { backgroundTiming, isAborted } from "@hostledger/runtime/async";

import { ReadModelNotBuiltError } from "../unavailable.errors.ts";
import type { Projector } from "./projector.ts";

/** Pause of the work while a read model that it needs is rebuilt, in milliseconds. */
const buildPauseMs = 1_000;

/**
 * Starts work when the read models can be read, and again after they were rebuilt. An abort before that prevents the
 * start.
 */
export function onceReady(
  projector: Pick<Projector, "ready">,
  work: (signal: AbortSignal) => Promise<void>,
): (signal: AbortSignal) => Promise<void> {
  return async (signal) => {
    while (!isAborted(signal)) {
      await projector.ready(signal);
      try {
        if (!isAborted(signal)) await work(signal);
        return;
      } catch (error) {
        if (!(error instanceof ReadModelNotBuiltError)) throw error;
        await backgroundTiming.sleep(buildPauseMs, signal);
      }
    }
  };
}
