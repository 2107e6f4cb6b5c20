import type { DomainEvent, EventCodec } from "@hostledger/core";

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

/** Reads a stored event with its codec. @throws UndecodableEventError naming the type or the member that is wrong. */
export function decodeEvent<Event extends DomainEvent>(
  codec: EventCodec<Event>,
  recorded: RecordedEvent,
): DecodedEvent<Event> {
  const { stream, revision, position, time } = recorded;
  return {
    event: codec.decode(recorded.type, recorded.data),
    stream,
    revision,
    position,
    time,
    metadata: readMetadata(recorded.metadata),
  };
}
