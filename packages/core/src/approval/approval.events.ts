import { z } from "zod";

import { eventCodec } from "../kernel/event-codec.ts";
import { defineEvents, event, type EventOf } from "../kernel/event-definition.ts";
import { cents, flag, id, instant, line, text } from "../kernel/fields.ts";

/** What a second person confirms (stream `approval-all`). */
export const approvalEvents = defineEvents({
  ApprovalRequested: event(
    "A member of staff wanted to move more money than one person may: another one has to approve it.",
    {
      approvalId: id,
      accountId: id,
      amountCents: cents,
      /** The payment's own, or the correction's; the reference of a refund is its charge. */
      reference: text,
      /** Name of the member of staff. */
      requestedBy: line(64),
      requestedAt: instant,
      /** From this instant on it cannot be approved any more. */
      expiresAt: instant,
      kind: z.enum(["top-up", "credit", "debit", "top-up-reversed", "refund"]),
      /** Why a balance is corrected; empty for a top-up. */
      reason: text,
      /** The balance may fall below zero by it. */
      debtAllowed: flag,
    },
    { firstVersion: 4 },
  ),
  ApprovalGranted: event("Another member of staff approved it: it may be done.", {
    approvalId: id,
    grantedBy: line(64),
    grantedAt: instant,
  }),
});

/** One of these. */
export type ApprovalEvent = EventOf<typeof approvalEvents>;

/** What somebody asked for. */
export type ApprovalRequest = EventOf<typeof approvalEvents, "ApprovalRequested">["data"];

/** Reads and names the facts about approvals. */
export const approvalCodec = eventCodec(approvalEvents);
