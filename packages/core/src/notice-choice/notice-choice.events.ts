import { z } from "zod";

import { eventCodec } from "../kernel/event-codec.ts";
import { defineEvents, event, type EventOf } from "../kernel/event-definition.ts";
import { cents, id, instant, line, personal } from "../kernel/fields.ts";

/** Events of an account's notice choices and mail bounces (stream `noticechoice-<account>`). */
export const noticeChoiceEvents = defineEvents({
  LowBalanceThresholdSet: event("The account said below which balance it is notified, or that it is not.", {
    accountId: id,
    /** Cents (EUR); null for no notice. */
    thresholdCents: cents.nullable(),
    setAt: instant,
  }),
  MailKindsChosen: event("The account said of which kinds it is notified by e-mail.", {
    accountId: id,
    /** Null for all kinds; an empty list for none. */
    kinds: z.array(line(64)).max(64).nullable(),
    chosenAt: instant,
  }),
  MailBounced: event(
    "A mail came back for good (RFC 3464): the address is not written to any more, until another one is in the profile or mail is asked for again.",
    {
      accountId: id,
      noticeId: line(64),
      email: personal(line(254)),
      /** Enhanced status code (RFC 3463), for example 5.1.1: no such mailbox. */
      status: z.string().regex(/^5\.\d{1,3}\.\d{1,3}$/),
      bouncedAt: instant,
    },
  ),
  MailResumed: event("Mail was asked for again, to an address from which it had come back.", {
    accountId: id,
    resumedAt: instant,
  }),
});

export type NoticeChoiceEvent = EventOf<typeof noticeChoiceEvents>;

export const noticeChoiceCodec = eventCodec(noticeChoiceEvents);
