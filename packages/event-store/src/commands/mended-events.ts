import { mendingAggregate, mendingCodec, StoredEventError, type MendedEvent } from "@hostledger/core";

import { appendLimits, type EventStore, type RecordedEvent } from "../event-store.port.ts";

/**
 * The events that staff had passed over in a stream, oldest first. Ask when an event cannot be read: an event
 * that can be read is never passed over, since a newer version may read what an older one could not.
 *
 * A part of the answer that cannot be read itself is left out, so that a damaged event in the answer stops no other stream.
 * @throws what the store throws.
 */
export async function mendedEvents(
  store: Pick<EventStore, "read">,
  stream: string,
): Promise<readonly MendedEvent[]> {
  const { category } = mendingAggregate;
  const answer = `${category}-${stream}`;
  // What is mended is mended in other streams: an answer about an answer has no end.
  if (stream.startsWith(`${category}-`) || answer.length > appendLimits.streamName) return [];
  const mended: MendedEvent[] = [];
  for await (const { type, data } of store.read(answer)) {
    try {
      mended.push(mendingCodec.decode(type, data).data);
    } catch (error) {
      if (!(error instanceof StoredEventError)) throw error;
    }
  }
  return mended;
}

/** Goes on behind a stored event that cannot be read, where staff had that event passed over. @throws the error, where they had not. */
export async function passOverMended(
  store: Pick<EventStore, "read">,
  recorded: Pick<RecordedEvent, "stream" | "id">,
  error: unknown,
): Promise<void> {
  if (!(error instanceof StoredEventError) || !(await isMended(store, recorded))) throw error;
}

/** Whether staff had an event passed over that cannot be read. @throws what the store throws. */
export async function isMended(
  store: Pick<EventStore, "read">,
  { stream, id }: Pick<RecordedEvent, "stream" | "id">,
): Promise<boolean> {
  return (await mendedEvents(store, stream)).some(({ eventId }) => eventId === id);
}
