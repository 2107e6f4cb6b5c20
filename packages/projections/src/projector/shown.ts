import type { Projector } from "./projector.ts";

/** How long an answer waits for its service's own read models, in milliseconds. */
const readModelWaitMs = 5_000;

/**
 * Lets an answer wait until the read models show what was done: a client reads its own writes. A courtesy, with a bound: an
 * answer that has waited so long is given all the same.
 * @param done where it is in the log; nowhere where nothing was written.
 * @param names the read models that the answer needs; by default all of them.
 * @returns true when they show it.
 */
export async function shown(
  projector: Pick<Projector, "waitFor">,
  done: { readonly position?: bigint | undefined },
  names?: readonly string[],
): Promise<boolean> {
  return done.position === undefined || projector.waitFor(done.position, readModelWaitMs, names);
}

/** The same for what no answer waits for: the read models take their time, and commit it with what else there is. */
export async function shownInTime(
  projector: Pick<Projector, "waitFor">,
  done: { readonly position?: bigint | undefined },
  names: readonly string[],
): Promise<boolean> {
  return done.position === undefined || projector.waitFor(done.position, readModelWaitMs, names, false);
}
