import { z } from "zod";

import { eventCodec } from "../kernel/event-codec.ts";
import { defineEvents, event, type EventOf } from "../kernel/event-definition.ts";
import { instant, line, text } from "../kernel/fields.ts";

/** Staff's decisions about unreadable events (stream `mending-<stream>`). */
export const mendingEvents = defineEvents({
  StreamMended: event(
    "Staff let every reader skip an event that this version cannot read. A version that can read the event does not skip it.",
    {
      stream: line(500),
      revision: z.int().min(0),
      eventId: text,
      eventType: text,
      reason: text,
      mendedAt: instant,
    },
  ),
});

export type MendingEvent = EventOf<typeof mendingEvents>;

/** An event that staff skipped. */
export type MendedEvent = EventOf<typeof mendingEvents, "StreamMended">["data"];

export const mendingCodec = eventCodec(mendingEvents);
