import {
  isForeign,
  readMetadata,
  StoredEventError,
  UnreadableEventError,
  unreadableKind,
  type DomainEvent,
  type EventCodec,
  type EventMetadata,
  type UnreadableKind,
} from "@hostledger/core";

import type { Position, RecordedEvent } from "../event-store.port.ts";

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
export function taking<Result>(
  recorded: RecordedEvent,
  take: () => Result,
  kind: UnreadableKind = "damaged",
): Result {
  try {
    return take();
  } catch (error) {
    if (!(error instanceof StoredEventError) || error instanceof UnreadableEventError) throw error;
    throw new UnreadableEventError(recorded, kind, error.message);
  }
}

/**
 * Reads a stored event with its codec; undefined for a foreign event, which its readers pass over.
 * @throws UnreadableEventError
 */
export function decodeEvent<Event extends DomainEvent>(
  codec: Pick<EventCodec<Event>, "decode" | "knows">,
  recorded: RecordedEvent,
): DecodedEvent<Event> | undefined {
  const { type, stream, revision, position, time } = recorded;
  const isKnown = codec.knows(type);
  if (!isKnown && isForeign(recorded)) return undefined;
  const decode = (): DecodedEvent<Event> => ({
    event: codec.decode(type, recorded.data),
    stream,
    revision,
    position,
    time,
    metadata: readMetadata(recorded.metadata),
  });
  return taking(recorded, decode, isKnown ? "damaged" : unreadableKind(recorded));
}

/** Reads a stored event for a reader that looks through many streams; undefined also where the event is unreadable. */
export function readableEvent<Event extends DomainEvent>(
  codec: EventCodec<Event>,
  recorded: RecordedEvent,
): DecodedEvent<Event> | undefined {
  try {
    return decodeEvent(codec, recorded);
  } catch (error) {
    if (error instanceof UnreadableEventError) return undefined;
    throw error;
  }
}
