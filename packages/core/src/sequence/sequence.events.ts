import { eventCodec } from "../kernel/event-codec.ts";
import { defineEvents, event, type EventOf } from "../kernel/event-definition.ts";
import { id } from "../kernel/fields.ts";

export const sequenceEvents = defineEvents({
  IdBlockReserved: event(
    "A block of integer ids was taken for use by one process; ids of a block that are never used stay gaps.",
    { first: id, last: id },
  ),
});

export type SequenceEvent = EventOf<typeof sequenceEvents>;

export const sequenceCodec = eventCodec(sequenceEvents);
