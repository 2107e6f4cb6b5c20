import { z } from "zod";

import { eventCodec } from "../kernel/event-codec.ts";
import { defineEvents, event, type EventOf } from "../kernel/event-definition.ts";
import { cents, id, instant, line, personal } from "../kernel/fields.ts";

/** Events of an account's notice choices and mail bounces (stream `noticechoice-<account>`). */
export const noticeChoiceEvents = defineEvents({
  LowBalanceThresholdSet: event(
    "The account set the balance below which it is notified, or turned this notice off.",
    {
      accountId: id,
      /** Cents (EUR); null for no notice. */
      thresholdCents: cents.nullable(),
      setAt: instant,
    },
  ),
  MailKindsChosen: event("The account chose the kinds of notices that it gets by e-mail.", {
    accountId: id,
    /** Null for all kinds; an empty list for none. */
    kinds: z.array(line(64)).max(64).nullable(),
    chosenAt: instant,
  }),
  MailBounced: event(
    "A mail to the address bounced permanently (RFC 3464). The service sends no more mail there until the address is changed or mail is resumed.",
    {
      accountId: id,
      noticeId: line(64),
      email: personal(line(254)),
      /** Enhanced status code (RFC 3463), for example 5.1.1: no such mailbox. */
      status: z.string().regex(/^5\.\d{1,3}\.\d{1,3}$/),
      bouncedAt: instant,
    },
  ),
  MailResumed: event("The account or staff resumed mail to an address from which mail had bounced.", {
    accountId: id,
    resumedAt: instant,
  }),
});

export type NoticeChoiceEvent = EventOf<typeof noticeChoiceEvents>;

export const noticeChoiceCodec = eventCodec(noticeChoiceEvents);
