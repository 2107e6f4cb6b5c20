import { z } from "zod";

import { eventCodec } from "../kernel/event-codec.ts";
import { defineEvents, event, type EventOf } from "../kernel/event-definition.ts";
import { id, instant, text } from "../kernel/fields.ts";

/** What becomes of the reference of a payment or a correction (stream `reference-<kind>-<hash of the reference>`). */
export const referenceEvents = defineEvents({
  ReferenceTaken: event(
    "A payment or a correction is about to be booked under this reference: none of its kind stands under it on another account.",
    {
      kind: z.enum(["top-up", "credit", "debit"]),
      reference: text,
      accountId: id,
      takenAt: instant,
    },
  ),
});

/** One of these. */
export type ReferenceEvent = EventOf<typeof referenceEvents>;

/** A payment, or what staff give or take: each kind has references of its own. */
export type ReferenceKind = EventOf<typeof referenceEvents, "ReferenceTaken">["data"]["kind"];

/** Reads and names these facts. */
export const referenceCodec = eventCodec(referenceEvents);
