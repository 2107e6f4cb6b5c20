import { z } from "zod";

import { eventCodec } from "../kernel/event-codec.ts";
import { defineEvents, event, type EventOf } from "../kernel/event-definition.ts";
import { id, instant, text } from "../kernel/fields.ts";

/** Events of a payment's or correction's reference (stream `reference-<kind>-<hash of the reference>`). */
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

export type ReferenceEvent = EventOf<typeof referenceEvents>;

/** Kind of reference: a payment, or a credit or debit by staff. Each kind has its own references. */
export type ReferenceKind = EventOf<typeof referenceEvents, "ReferenceTaken">["data"]["kind"];

export const referenceCodec = eventCodec(referenceEvents);
