import { eventCodec } from "../kernel/event-codec.ts";
import { defineEvents, event, type EventOf } from "../kernel/event-definition.ts";
import { id } from "../kernel/fields.ts";

export const sequenceEvents = defineEvents({
  IdBlockReserved: event("A process reserved a block of integer ids. Unused ids of the block remain gaps.", {
    first: id,
    last: id,
  }),
});

export type SequenceEvent = EventOf<typeof sequenceEvents>;

export const sequenceCodec = eventCodec(sequenceEvents);
