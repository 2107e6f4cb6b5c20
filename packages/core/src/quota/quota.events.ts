import { z } from "zod";

import { eventCodec } from "../kernel/event-codec.ts";
import { defineEvents, event, type EventOf } from "../kernel/event-definition.ts";
import { count, id, instant, text } from "../kernel/fields.ts";
import { dailyQuotas, maximumQuota, quotaNames } from "./quota.catalogue.ts";

/** Events of an account's quotas (stream `quota-<account>`). */
export const quotaEvents = defineEvents({
  QuotaSet: event("Staff gave the account a quota of its own, or restored the standard quota (null).", {
    accountId: id,
    quota: z.enum(quotaNames),
    value: z.int().min(0).max(maximumQuota).nullable(),
    reason: text,
    setAt: instant,
  }),
  QuotaTaken: event(
    "A process reserved a share of the account's daily quota. An unused part of the share is not given back.",
    {
      accountId: id,
      quota: z.enum(dailyQuotas),
      /** UTC, `YYYY-MM-DD`. */
      day: z.string().regex(/^\d{4}-\d{2}-\d{2}$/),
      amount: count,
      takenAt: instant,
    },
  ),
});

export type QuotaEvent = EventOf<typeof quotaEvents>;

export const quotaCodec = eventCodec(quotaEvents);
