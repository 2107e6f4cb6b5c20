import { z } from "zod";

import { eventCodec } from "../kernel/event-codec.ts";
import { defineEvents, event, type EventOf } from "../kernel/event-definition.ts";
import { cents, flag, id, instant, line, text } from "../kernel/fields.ts";

export const approvalEvents = defineEvents({
  ApprovalRequested: event(
    "A member of staff asked to move more money than one person may move alone. A second person must approve.",
    {
      approvalId: id,
      accountId: id,
      amountCents: cents,
      /** Reference of the payment or correction; for a refund, the id of its charge. */
      reference: text,
      requestedBy: line(64),
      requestedAt: instant,
      /** Nobody can approve the request from this instant on. */
      expiresAt: instant,
      kind: z.enum(["top-up", "credit", "debit", "top-up-reversed", "refund"]),
      /** Reason of a correction; empty for a top-up. */
      reason: text,
      /** True if the credit may make the balance negative. */
      debtAllowed: flag,
    },
    { firstVersion: 4 },
  ),
  ApprovalGranted: event("A second member of staff approved the request, so it may be carried out.", {
    approvalId: id,
    grantedBy: line(64),
    grantedAt: instant,
  }),
});

export type ApprovalEvent = EventOf<typeof approvalEvents>;

export type ApprovalRequest = EventOf<typeof approvalEvents, "ApprovalRequested">["data"];

export const approvalCodec = eventCodec(approvalEvents);
