import { z } from "zod";

import { eventCodec } from "../kernel/event-codec.ts";
import { defineEvents, event, shape, type EventOf } from "../kernel/event-definition.ts";
import { cents, flag, id, instant, line, text } from "../kernel/fields.ts";

const requestedV1 = {
  approvalId: id,
  accountId: id,
  amountCents: cents,
  /** The payment's own, or the correction's. */
  reference: text,
  /** Name of the member of staff. */
  requestedBy: line(64),
  requestedAt: instant,
  /** From this instant on it cannot be approved any more. */
  expiresAt: instant,
};

const requestedV2 = {
  ...requestedV1,
  kind: z.enum(["top-up", "credit", "debit", "top-up-reversed"]),
  /** Why a balance is corrected; empty for a top-up. */
  reason: text,
};

const requestedV3 = {
  ...requestedV2,
  /** The reference of a refund is its charge. */
  kind: z.enum(["top-up", "credit", "debit", "top-up-reversed", "refund"]),
};

/** What a second person confirms (stream `approval-all`). */
export const approvalEvents = defineEvents({
  ApprovalRequested: event(
    "A member of staff wanted to move more money than one person may: another one has to approve it.",
    {
      ...requestedV3,
      /** The balance may fall below zero by it. */
      debtAllowed: flag,
    },
    {
      was: [
        shape(requestedV3, {
          was: [
            shape(requestedV2, {
              was: [shape(requestedV1), (data) => ({ ...data, kind: "top-up" as const, reason: "" })],
            }),
            (data) => data,
          ],
        }),
        (data) => ({ ...data, debtAllowed: false }),
      ],
    },
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
