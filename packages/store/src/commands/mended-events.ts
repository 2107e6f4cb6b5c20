import { mendingAggregate, mendingStreamOf, StoredEventError, type MendedEvent } from "@hostledger/core";

import { appendLimits, type EventStore, type RecordedEvent } from "../event-store.port.ts";
import { readableEvent } from "./decode-event.ts";

/*
 * Finds the unreadable events that staff had skipped. Only our own events decide that, by type and metadata. An
 * unreadable or foreign event in these streams skips nothing and stops no stream.
 */

/**
 * Returns the events that staff had skipped in a stream, oldest first. Call it only for an unreadable event: a readable
 * event is never skipped, because a newer version may read it.
 * @throws any error of the store.
 */
export async function mendedEvents(
  store: Pick<EventStore, "read">,
  stream: string,
): Promise<readonly MendedEvent[]> {
  const answers: MendedEvent[] = [];
  const name = mendingStreamOf(stream);
  // A stream with such a long name cannot exist, because the store would refuse it.
  if (name.length > appendLimits.streamName) return answers;
  for await (const recorded of store.read(name)) {
    const answer = readableEvent(mendingAggregate.codec, recorded)?.event.data;
    if (answer?.stream === stream) answers.push(answer);
  }
  return answers;
}

/** Returns normally if staff had the unreadable event skipped. @throws the given error if staff did not. */
export async function passOverMended(
  store: Pick<EventStore, "read">,
  recorded: Pick<RecordedEvent, "stream" | "id">,
  error: unknown,
): Promise<void> {
  if (!(error instanceof StoredEventError) || !(await isMended(store, recorded))) throw error;
}

/** True if staff had this unreadable event skipped. @throws any error of the store. */
export async function isMended(
  store: Pick<EventStore, "read">,
  event: Pick<RecordedEvent, "stream" | "id">,
): Promise<boolean> {
  return (await answerAbout(store, event)) !== undefined;
}

/** Returns the decision of staff to skip an event; undefined if there is none. @throws any error of the store. */
export async function answerAbout(
  store: Pick<EventStore, "read">,
  { stream, id }: Pick<RecordedEvent, "stream" | "id">,
): Promise<MendedEvent | undefined> {
  return (await mendedEvents(store, stream)).find(({ eventId }) => eventId === id);
}
