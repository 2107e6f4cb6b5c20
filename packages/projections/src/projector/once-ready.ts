import { backgroundTiming, isAborted } from "@hostledger/runtime/async";

import { ReadModelNotBuiltError } from "../unavailable.errors.ts";
import type { Projector } from "./projector.ts";

/** How long work pauses while a read model that it asks is being built, in milliseconds. */
const buildPauseMs = 1_000;

/**
 * Work that begins when the read models can be read, and again when they were built anew under it. Where it is to end before that, it
 * does not begin.
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
