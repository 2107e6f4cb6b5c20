import { z } from "zod";

import { eventCodec } from "../kernel/event-codec.ts";
import { defineEvents, event, type EventOf } from "../kernel/event-definition.ts";
import { cents, id, instant, line } from "../kernel/fields.ts";

/** What an account chooses of its notices (stream `noticechoice-<account>`). */
export const noticeChoiceEvents = defineEvents({
  LowBalanceThresholdSet: event("The account said below which balance it is notified, or that it is not.", {
    accountId: id,
    /** Cents (EUR); null for no notice. */
    thresholdCents: cents.nullable(),
    setAt: instant,
  }),
  MailKindsChosen: event("The account said of which kinds it is notified by e-mail.", {
    accountId: id,
    /** Null for all of them; an empty list for none. */
    kinds: z.array(line(64)).max(64).nullable(),
    chosenAt: instant,
  }),
});

/** One of these. */
export type NoticeChoiceEvent = EventOf<typeof noticeChoiceEvents>;

/** Reads and names the facts about what accounts choose. */
export const noticeChoiceCodec = eventCodec(noticeChoiceEvents);
