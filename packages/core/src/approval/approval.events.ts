import { z } from "zod";

import { eventCodec } from "../kernel/event-codec.ts";
import { defineEvents, event, shape, type EventOf } from "../kernel/event-definition.ts";
import { cents, flag, id, instant, line, personal, text } from "../kernel/fields.ts";

const request = {
  approvalId: id,
  accountId: id,
  amountCents: cents,
  /** Reference of the payment or correction; for a refund, the id of its charge. */
  reference: text,
  requestedBy: line(64),
  requestedAt: instant,
  /** Nobody can approve the request from this instant on. */
  expiresAt: instant,
  /** Reason of a correction; empty for a top-up. */
  reason: text,
  /** True if the credit may make the balance negative. */
  debtAllowed: flag,
};

const kinds = ["top-up", "credit", "debit", "top-up-reversed", "refund"] as const;

export const approvalEvents = defineEvents({
  ApprovalRequested: event(
    "A member of staff asked to move more money than one person may move alone. A second person must approve.",
    {
      ...request,
      /** `payment-refund` to the source of a payment, `payout` to a bank account. */
      kind: z.enum([...kinds, "payment-refund", "payout"]),
      /** Bank account of a payout; empty otherwise. */
      iban: personal(line(34)),
    },
    {
      was: [
        shape({ ...request, kind: z.enum(kinds) }, { firstVersion: 4 }),
        (older) => ({ ...older, iban: "" }),
      ],
    },
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
