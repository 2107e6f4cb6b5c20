import type { EventStore } from "@hostledger/store";

import type { Projector } from "./projector.ts";

/** Maximum wait of an answer for its service's own read models, in milliseconds. */
const readModelWaitMs = 5_000;

/**
 * Waits until the read models show a change, so that a client reads its own writes. After the limit the answer is given
 * anyway.
 * @param done position of the change; undefined if nothing was written.
 * @param names needed read models; default: all.
 * @returns true if they show the change.
 */
export async function shown(
  projector: Pick<Projector, "waitFor">,
  done: { readonly position?: bigint | undefined },
  names?: readonly string[],
): Promise<boolean> {
  return done.position === undefined || projector.waitFor(done.position, readModelWaitMs, names);
}

/**
 * Returns the revision of a loaded stream for a conditional write, after the read models show that revision.
 * @returns undefined if they do not show it in time, so the condition cannot be checked.
 */
export async function shownRevision(
  projector: Pick<Projector, "waitFor">,
  loaded: { readonly revision: bigint | undefined; readonly position?: bigint | undefined },
  names: readonly string[],
): Promise<bigint | undefined> {
  return (await shown(projector, loaded, names)) ? (loaded.revision ?? -1n) : undefined;
}

/** Like `shown`, for work that no answer waits for: the projector keeps its pauses and joins commits. */
export async function shownInTime(
  projector: Pick<Projector, "waitFor">,
  done: { readonly position?: bigint | undefined },
  names: readonly string[],
): Promise<boolean> {
  return done.position === undefined || projector.waitFor(done.position, readModelWaitMs, names, false);
}

/**
 * Like `shown`, for all events stored before the call, for readers of other callers' changes. If other processes append
 * too, the log's last event often concerns no read model, so this does not wait.
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
 * Repeats a query without a result after the read models have read the given stream. For readers of recent changes of
 * others, such as a new account or server. Waiting for the end of the log would not work on EventStoreDB, whose last
 * event often concerns no read model.
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
