import type { Projector } from "./projector.ts";

/** Work that begins when the read models can be read; where it is to end before that, it does not begin. */
export function onceReady(
  projector: Pick<Projector, "ready">,
  work: (signal: AbortSignal) => Promise<void>,
): (signal: AbortSignal) => Promise<void> {
  return async (signal) => {
    await projector.ready(signal);
    if (!signal.aborted) await work(signal);
  };
}
