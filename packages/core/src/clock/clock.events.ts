import { z } from "zod";

import { eventCodec } from "../kernel/event-codec.ts";
import { defineEvents, event, type EventOf } from "../kernel/event-definition.ts";
import { instant, text } from "../kernel/fields.ts";

/** Events of the clocks of all processes that share a store (stream `clock-all`). */
export const clockEvents = defineEvents({
  ClockJumpNoticed: event(
    "A process found that its clock is far from the expected time. Until staff confirm the clock, all work that depends on time stops.",
    {
      jumpId: text,
      direction: z.enum(["behind", "ahead"]),
      /** Expected time: of the newest event, of the monotonic clock, or of the database's clock. */
      expectedAt: instant,
      clockAt: instant,
      /** Source of the expected time: the events and the monotonic clock, or the clock of the shared database. */
      expectedBy: z.enum(["facts", "database"]),
    },
    { firstVersion: 2 },
  ),
  ClockAccepted: event("Staff confirmed the clock, so work that depends on time continues.", {
    jumpIds: z.array(text).min(1),
    acceptedAt: instant,
  }),
  ClockDifferenceKept: event(
    "A process continued although its clock differs from the database's, because staff had confirmed the clock. Only another difference is reported.",
    {
      jumpId: text,
      /** Lead over the database's clock in milliseconds; negative for a lag. */
      aheadMs: z.int(),
      keptAt: instant,
    },
  ),
});

export type ClockEvent = EventOf<typeof clockEvents>;

export type ClockJump = EventOf<typeof clockEvents, "ClockJumpNoticed">["data"];

export const clockCodec = eventCodec(clockEvents);
