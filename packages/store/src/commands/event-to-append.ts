import type { DomainEvent, EventCodec } from "@hostledger/core";

import type { EventToAppend } from "../event-store.port.ts";
import { eventId } from "./event-id.ts";

/** The stream, command and index of an event, and the metadata of all events of the command. */
export interface EventOrigin {
  readonly stream: string;
  readonly commandId: string;
  readonly index: number;
  readonly metadata: string;
}

/** Converts an event to its stored form, with an id that is equal whenever the command is decided again. */
export function eventToAppend<Event extends DomainEvent>(
  codec: Pick<EventCodec<Event>, "storedType" | "openData">,
  event: Event,
  { stream, commandId, index, metadata }: EventOrigin,
): EventToAppend {
  const data = JSON.stringify(event.data);
  const open = codec.openData(event);
  const id = eventId(stream, commandId, index, open === event.data ? data : JSON.stringify(open));
  return { id, type: codec.storedType(event.type), data, metadata };
}
