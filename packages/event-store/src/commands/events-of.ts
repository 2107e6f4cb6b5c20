import type { DomainEvent, EventCodec } from "@hostledger/core";

import type { EventStore } from "../event-store.port.ts";
import { decodeEvent, type DecodedEvent } from "./decode-event.ts";
import { passOverMended } from "./mended-events.ts";

/**
 * Reads the events of a stream with its codec, oldest first, without foreign events and those that staff had passed over.
 * @throws UnreadableEventError
 */
export async function* eventsOf<Event extends DomainEvent>(
  store: Pick<EventStore, "read">,
  stream: string,
  codec: EventCodec<Event>,
): AsyncGenerator<DecodedEvent<Event>, void, undefined> {
  for await (const recorded of store.read(stream)) {
    let decoded: DecodedEvent<Event> | undefined;
    try {
      decoded = decodeEvent(codec, recorded);
    } catch (error) {
      await passOverMended(store, recorded, error);
    }
    if (decoded !== undefined) yield decoded;
  }
}
