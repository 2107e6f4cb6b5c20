import { TemporarilyUnavailableError } from "@hostledger/core";

import type { EventStore, RecordedEvent, SeenEvent } from "../event-store.port.ts";

/** Result of a comparison: the event is there, is missing, or nothing can be concluded. */
export type Comparison =
  | { readonly outcome: "same"; readonly event: RecordedEvent }
  | { readonly outcome: "missing" }
  | { readonly outcome: "unknown" };

/** Read options that make the leader answer from its disk. */
const confirmed = { limit: 1, fromLeader: true } as const;

/**
 * Looks for an event that was read before. A stream that was deleted, scavenged or cut by its metadata proves nothing.
 * @throws EventStoreUnavailableError the store does not answer.
 */
export async function compareSeen(
  store: Pick<EventStore, "read">,
  { stream, revision, id }: SeenEvent,
): Promise<Comparison> {
  try {
    for await (const event of store.read(stream, { ...confirmed, from: revision })) {
      if (event.revision !== revision) return { outcome: "unknown" };
      return event.id === id ? { outcome: "same", event } : { outcome: "missing" };
    }
    for await (const _event of store.read(stream, { ...confirmed, direction: "backwards" }))
      return { outcome: "missing" };
    return (await isCut(store, stream)) ? { outcome: "unknown" } : { outcome: "missing" };
  } catch (error) {
    if (error instanceof TemporarilyUnavailableError) throw error;
    // A tombstone, or metadata that this user may not read.
    return { outcome: "unknown" };
  }
}

/** True if the metadata of a stream lets the store drop its events. */
async function isCut(store: Pick<EventStore, "read">, stream: string): Promise<boolean> {
  for await (const { data } of store.read(`$$${stream}`, { ...confirmed, direction: "backwards" }))
    return /"\$(tb|maxAge|maxCount)"/.test(data);
  return false;
}
