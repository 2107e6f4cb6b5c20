import {
  mendingAggregate,
  quarantineAggregate,
  StoredEventError,
  type DomainEvent,
  type EventCodec,
  type MendedEvent,
  type SkippedEvent,
} from "@hostledger/core";

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
  const { category, codec } = mendingAggregate;
  const answers = await answersIn(store, `${category}-${stream}`, codec);
  return answers.filter((each) => each.stream === stream);
}

/**
 * The events that staff let a read model go past in versions of Hostledger that stopped whole read models, oldest first. Nothing is
 * added to them: today staff mend the stream, for all read models.
 * @param projection service and name, for example `account.invoices`.
 * @throws what the store throws.
 */
export function skippedEvents(
  store: Pick<EventStore, "read">,
  projection: string,
): Promise<readonly SkippedEvent[]> {
  const { category, codec } = quarantineAggregate;
  return answersIn(store, `${category}-${projection}`, codec);
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

async function answersIn<Event extends DomainEvent>(
  store: Pick<EventStore, "read">,
  answer: string,
  codec: EventCodec<Event>,
): Promise<readonly Event["data"][]> {
  const answers: Event["data"][] = [];
  // Nobody can have answered in a stream whose name is too long to be written to.
  if (answer.length > appendLimits.streamName) return answers;
  for await (const recorded of store.read(answer)) {
    const decoded = readableEvent(codec, recorded);
    if (decoded !== undefined) answers.push(decoded.event.data);
  }
  return answers;
}
