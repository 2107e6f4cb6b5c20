import { excerptOf, StoredEventError, type DomainEvent, type EventCodec } from "@hostledger/core";

import type { Position, RecordedEvent } from "../event-store.port.ts";
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

/** An event in words: `account-7@3 (BalanceCharged.v1)`. */
export function placeOf({ stream, revision, type }: Omit<RecordedEvent, "position">): string {
  return `${stream}@${String(revision)} (${excerptOf(type)})`;
}

/** Does what takes a stored event. @throws StoredEventError naming the event, where it cannot be taken. */
export function taking<Result>(recorded: RecordedEvent, take: () => Result): Result {
  try {
    return take();
  } catch (error) {
    throw error instanceof StoredEventError ? error.at(placeOf(recorded)) : error;
  }
}

/** Reads a stored event with its codec. @throws UndecodableEventError naming the event and the member that is wrong. */
export function decodeEvent<Event extends DomainEvent>(
  codec: EventCodec<Event>,
  recorded: RecordedEvent,
): DecodedEvent<Event> {
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
