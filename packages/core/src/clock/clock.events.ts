import { z } from "zod";

import { eventCodec } from "../kernel/event-codec.ts";
import { defineEvents, event, type EventOf } from "../kernel/event-definition.ts";
import { instant, text } from "../kernel/fields.ts";

/** What happens to the clocks of the processes over one store (stream `clock-all`). */
export const clockEvents = defineEvents({
  ClockJumpNoticed: event(
    "A process found its clock far from where it should be: until staff confirm it, nothing is done because of the time alone.",
    {
      /** Names the jump. */
      jumpId: text,
      /** Where the clock went: before the time that was expected, or after it. */
      direction: z.enum(["behind", "ahead"]),
      /** What time it was: at least, or at most, as far as the facts or the monotonic clock tell; or by the database's clock. */
      expectedAt: instant,
      /** What the clock said. */
      clockAt: instant,
      /** By what the time was expected: the facts and the monotonic clock, or the clock of the database that processes share. */
      expectedBy: z.enum(["facts", "database"]),
    },
    { firstVersion: 2 },
  ),
  ClockAccepted: event("Staff confirmed the clock: time-driven work goes on.", {
    jumpIds: z.array(text).min(1),
    acceptedAt: instant,
  }),
  ClockDifferenceKept: event(
    "A process whose clock staff have confirmed goes on with one that differs from the database's: only another difference is noticed.",
    {
      /** The jump that was confirmed. */
      jumpId: text,
      /** By how much the clock was ahead of the database's then, in milliseconds; below zero behind it. */
      aheadMs: z.int(),
      keptAt: instant,
    },
  ),
});

/** One of these. */
export type ClockEvent = EventOf<typeof clockEvents>;

/** A clock that cannot be right, as far as the facts tell. */
export type ClockJump = EventOf<typeof clockEvents, "ClockJumpNoticed">["data"];

/** Reads and names the facts about clocks. */
export const clockCodec = eventCodec(clockEvents);
