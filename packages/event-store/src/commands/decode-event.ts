import {
  isForeign,
  StoredEventError,
  UnreadableEventError,
  unreadableKind,
  type DomainEvent,
  type EventCodec,
} from "@hostledger/core";

import type { EventStore, Position, RecordedEvent } from "../event-store.port.ts";
import { readMetadata, type EventMetadata } from "./event-metadata.ts";

/** A stored event in today's shape, and where it stands. */
export interface DecodedEvent<Event extends DomainEvent> {
  readonly event: Event;
  readonly stream: string;
  readonly revision: bigint;
  readonly position: Position;
  /** When it was stored: ISO 8601 UTC with six fractional digits. */
  readonly time: string;
  readonly metadata: EventMetadata;
}

/**
 * Does what takes a stored event that is not foreign.
 * @throws UnreadableEventError naming the event, where it is unreadable or contradicts what is taken already.
 */
export function taking<Result>(recorded: RecordedEvent, take: () => Result): Result {
  try {
    return take();
  } catch (error) {
    if (!(error instanceof StoredEventError) || error instanceof UnreadableEventError) throw error;
    throw new UnreadableEventError(recorded, unreadableKind(recorded), error.message);
  }
}

/**
 * Reads a stored event with its codec; undefined for a foreign event, which its readers pass over.
 * @throws UnreadableEventError
 */
export function decodeEvent<Event extends DomainEvent>(
  codec: EventCodec<Event>,
  recorded: RecordedEvent,
): DecodedEvent<Event> | undefined {
  if (!codec.knows(recorded.type) && isForeign(recorded)) return undefined;
  const { stream, revision, position, time } = recorded;
  return taking(recorded, () => ({
    event: codec.decode(recorded.type, recorded.data),
    stream,
    revision,
    position,
    time,
    metadata: readMetadata(recorded.metadata),
  }));
}

/** Reads the events of a stream with its codec, oldest first, without foreign events. @throws UnreadableEventError */
export async function* eventsOf<Event extends DomainEvent>(
  store: Pick<EventStore, "read">,
  stream: string,
  codec: EventCodec<Event>,
): AsyncGenerator<DecodedEvent<Event>, void, undefined> {
  for await (const recorded of store.read(stream)) {
    const decoded = decodeEvent(codec, recorded);
    if (decoded !== undefined) yield decoded;
  }
}
