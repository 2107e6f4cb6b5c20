import { mendingAggregate, mendingStreamOf, StoredEventError, type MendedEvent } from "@hostledger/core";

import { appendLimits, type EventStore, type RecordedEvent } from "../event-store.port.ts";
import { readableEvent } from "./decode-event.ts";

/*
 * Which events that cannot be read staff had passed over. Only events of ours decide that, by their type and by their metadata: an
 * answer that other software wrote, or that cannot be read itself, passes over nothing and stops no other stream.
 */

/**
 * The events that staff had passed over in a stream, oldest first. Ask when an event cannot be read: an event
 * that can be read is never passed over, since a newer version may read what an older one could not.
 * @throws what the store throws.
 */
export async function mendedEvents(
  store: Pick<EventStore, "read">,
  stream: string,
): Promise<readonly MendedEvent[]> {
  const answers: MendedEvent[] = [];
  const name = mendingStreamOf(stream);
  // Nobody can have answered in a stream whose name is too long to be written to.
  if (name.length > appendLimits.streamName) return answers;
  for await (const recorded of store.read(name)) {
    const answer = readableEvent(mendingAggregate.codec, recorded)?.event.data;
    if (answer?.stream === stream) answers.push(answer);
  }
  return answers;
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
  event: Pick<RecordedEvent, "stream" | "id">,
): Promise<boolean> {
  return (await answerAbout(store, event)) !== undefined;
}

/** The answer by which staff had an event passed over; undefined where they had not. @throws what the store throws. */
export async function answerAbout(
  store: Pick<EventStore, "read">,
  { stream, id }: Pick<RecordedEvent, "stream" | "id">,
): Promise<MendedEvent | undefined> {
  return (await mendedEvents(store, stream)).find(({ eventId }) => eventId === id);
}
