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

/** A stored event in its current version, with its place. */
export interface DecodedEvent<Event extends DomainEvent> {
  readonly event: Event;
  readonly stream: string;
  readonly revision: bigint;
  readonly position: Position;
  /** Time of storage: ISO 8601 UTC with six fractional digits. */
  readonly time: string;
  readonly metadata: EventMetadata;
}

/**
 * Runs a function that uses a stored event of ours, and names the event in its errors.
 * @throws UnreadableEventError if the event is unreadable or contradicts earlier events.
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
 * Reads a stored event with its codec; undefined for a foreign event.
 * @param source see `EventCodec.decode`.
 * @throws UnreadableEventError
 */
export function decodeEvent<Event extends DomainEvent>(
  codec: Pick<EventCodec<Event>, "decode" | "knows">,
  recorded: RecordedEvent,
  source?: RecordedEvent,
): DecodedEvent<Event> | undefined {
  const { type, stream, revision, position, time } = recorded;
  const isKnown = codec.knows(type);
  if (!isKnown && isForeign(recorded)) return undefined;
  const decode = (): DecodedEvent<Event> => ({
    event: codec.decode(type, recorded.data, source),
    stream,
    revision,
    position,
    time,
    metadata: readMetadata(recorded.metadata),
  });
  return taking(recorded, decode, isKnown ? "damaged" : unreadableKind(recorded));
}

/** Reads a stored event for a reader of many streams; undefined if the event is foreign or unreadable. */
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
