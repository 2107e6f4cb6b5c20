import { z } from "zod";

import { eventCodec } from "../kernel/event-codec.ts";
import { defineEvents, event, type EventOf } from "../kernel/event-definition.ts";
import { day, id, instant, staffReason } from "../kernel/fields.ts";

/** Events of the law's terms for documents (stream `retention-all`). */
export const retentionEvents = defineEvents({
  LegalHoldPlaced: event(
    "Staff keep the documents of an account beyond the end of their term, for example during a lawsuit. A later hold replaces the account's hold.",
    {
      accountId: id,
      reason: staffReason,
      /** Last day of the hold (UTC); null until staff release it. */
      until: day.nullable(),
      placedAt: instant,
    },
  ),
  LegalHoldReleased: event("Staff released the hold on the documents of an account.", {
    accountId: id,
    reason: staffReason,
    releasedAt: instant,
  }),
  RetentionEnded: event(
    "The term of all documents that the law keeps until this year or an earlier one ended. Their keys are destroyed next, except under a hold.",
    { year: z.int().min(2_000).max(9_999), endedAt: instant },
  ),
});

export type RetentionEvent = EventOf<typeof retentionEvents>;

export const retentionCodec = eventCodec(retentionEvents);
