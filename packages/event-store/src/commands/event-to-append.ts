import type { DomainEvent, EventCodec } from "@hostledger/core";

import type { EventToAppend } from "../event-store.port.ts";
import { eventId } from "./event-id.ts";

/** Which of the events of which command an event is, and what is told of all of them. */
export interface EventOrigin {
  readonly stream: string;
  readonly commandId: string;
  readonly index: number;
  /** JSON text. */
  readonly metadata: string;
}

/** An event in its stored form, under the id that it has wherever it is decided again. */
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
