import { z } from "zod";

import { eventCodec } from "../kernel/event-codec.ts";
import { defineEvents, event, type EventOf } from "../kernel/event-definition.ts";
import { count, instant, text } from "../kernel/fields.ts";

/** What staff say of events that a read model cannot take (stream `projection-<service>.<name>`). */
export const quarantineEvents = defineEvents({
  ProjectionEventSkipped: event(
    "Staff let a read model go on behind an event that it cannot take; a version that can takes it after all.",
    {
      /** The read model's service and name, for example `account.invoices`. */
      projection: text,
      /** Its version at that time. */
      version: count,
      /** Where the event is in the log, as a decimal number. */
      position: z.string().regex(/^\d{1,20}$/),
      eventId: text,
      eventType: text,
      stream: text,
      reason: text,
      skippedAt: instant,
    },
  ),
});

/** One of these. */
export type QuarantineEvent = EventOf<typeof quarantineEvents>;

/** An event that a read model goes on behind. */
export type SkippedEvent = EventOf<typeof quarantineEvents, "ProjectionEventSkipped">["data"];

/** Reads and names these facts. */
export const quarantineCodec = eventCodec(quarantineEvents);
