import type { EventStore } from "@hostledger/event-store";

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

/**
 * The revision of a stream that was loaded, for a conditional write: reads from now on show that revision at least.
 * @returns undefined where the read models do not show it in time: nobody can tell then whether the condition is true.
 */
export async function shownRevision(
  projector: Pick<Projector, "waitFor">,
  loaded: { readonly revision: bigint | undefined; readonly position?: bigint | undefined },
  names: readonly string[],
): Promise<bigint | undefined> {
  return (await shown(projector, loaded, names)) ? (loaded.revision ?? -1n) : undefined;
}

/** The same for what no answer waits for: the read models take their time, and commit it with what else there is. */
export async function shownInTime(
  projector: Pick<Projector, "waitFor">,
  done: { readonly position?: bigint | undefined },
  names: readonly string[],
): Promise<boolean> {
  return done.position === undefined || projector.waitFor(done.position, readModelWaitMs, names, false);
}

/**
 * The same for whoever asks what others did or are doing: all that was stored when he asked. Where other processes append too, the end
 * of the log is seldom an event that read models hear of: what these show is then as late as they are.
 */
export async function shownSoFar({
  store,
  projector,
}: {
  readonly store: Pick<EventStore, "shared" | "lastPosition">;
  readonly projector: Pick<Projector, "waitFor">;
}): Promise<void> {
  if (store.shared !== true) await shown(projector, { position: await store.lastPosition() });
}

/**
 * What a query finds, looked for once more when the stream that it is about has been heard: for who reads what others did, such as
 * an account or a server, in the moment after that was answered. The end of the log would not do: on EventStoreDB it is seldom an
 * event that read models hear of.
 */
export async function heard<Found>(
  {
    store,
    projector,
  }: { readonly store: Pick<EventStore, "read">; readonly projector: Pick<Projector, "waitFor"> },
  stream: string,
  query: () => Promise<Found | undefined>,
): Promise<Found | undefined> {
  const found = await query();
  if (found !== undefined) return found;
  for await (const { position } of store.read(stream, { direction: "backwards", limit: 1 })) {
    await shown(projector, { position });
    return query();
  }
  return undefined;
}
