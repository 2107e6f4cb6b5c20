import { z } from "zod";

import { eventCodec } from "../kernel/event-codec.ts";
import { defineEvents, event, type EventOf } from "../kernel/event-definition.ts";
import { id, instant, text } from "../kernel/fields.ts";

/** Events of a payment's or correction's reference (stream `reference-<kind>-<hash of the reference>`). */
export const referenceEvents = defineEvents({
  ReferenceTaken: event(
    "The account reserved a reference for a payment or a correction. No other account can book the same kind under this reference.",
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
