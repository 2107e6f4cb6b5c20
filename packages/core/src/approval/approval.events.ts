import { eventCodec } from "../kernel/event-codec.ts";
import { defineEvents, event, type EventOf } from "../kernel/event-definition.ts";
import { cents, id, instant, line, text } from "../kernel/fields.ts";

/** What a second person confirms (stream `approval-all`). */
export const approvalEvents = defineEvents({
  ApprovalRequested: event(
    "A member of staff asked for a credit above the amount that one person may give: another one has to approve it.",
    {
      approvalId: id,
      accountId: id,
      amountCents: cents,
      /** The payment's own. */
      reference: text,
      /** Name of the member of staff. */
      requestedBy: line(64),
      requestedAt: instant,
      /** From this instant on it cannot be approved any more. */
      expiresAt: instant,
    },
  ),
  ApprovalGranted: event("Another member of staff approved the credit: it may be given.", {
    approvalId: id,
    grantedBy: line(64),
    grantedAt: instant,
  }),
});

/** One of these. */
export type ApprovalEvent = EventOf<typeof approvalEvents>;

/** A credit that somebody asked for. */
export type ApprovalRequest = EventOf<typeof approvalEvents, "ApprovalRequested">["data"];

/** Reads and names the facts about approvals. */
export const approvalCodec = eventCodec(approvalEvents);
