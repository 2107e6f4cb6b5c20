import { codecOfCategory, type DomainEvent, type EventCodec } from "@hostledger/core";

import type { EventStore } from "../event-store.port.ts";
import { judgedEvents, type CodecOfCategory } from "./contradictions.ts";
import { decodeEvent, type DecodedEvent } from "./decode-event.ts";

/**
 * Reads a stream's events with its codec, oldest first. Foreign events and events that staff had skipped are left out.
 * @throws UnreadableEventError at the event that stops the stream.
 */
export async function* eventsOf<Event extends DomainEvent>(
  store: Pick<EventStore, "read">,
  stream: string,
  codec: EventCodec<Event>,
): AsyncGenerator<DecodedEvent<Event>, void, undefined> {
  const codecOf: CodecOfCategory = (category) => codecOfCategory(category) ?? codec;
  for await (const { recorded, leftOut } of judgedEvents(store, stream, codecOf)) {
    if (leftOut?.answer !== undefined) continue;
    if (leftOut !== undefined) throw leftOut.error;
    const decoded = decodeEvent(codec, recorded);
    if (decoded !== undefined) yield decoded;
  }
}
