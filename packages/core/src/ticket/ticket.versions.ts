import { z } from "zod";

import { historyCodec, type EventVersions } from "../kernel/event-codec.ts";
import { idField, instantField, personalField, textField } from "../kernel/fields.ts";
import { ticketLimits } from "./ticket-text.ts";
import type { TicketCauseEvent, TicketEvent } from "./ticket.events.ts";

const messageField = personalField(ticketLimits.message);

/** v1 did not say whose ticket it is. */
const repliedV1 = z.strictObject({
  ticketId: idField,
  commentId: idField,
  message: messageField,
  accountId: idField.nullable(),
  replyId: textField,
  repliedAt: instantField,
});
const repliedV2 = repliedV1.extend({ ticketAccountId: idField.nullable() });

/** Customers write on their own tickets. Whose ticket staff wrote on is not in the fact. */
function namingTheTicketsAccount(data: z.infer<typeof repliedV1>): z.infer<typeof repliedV2> {
  return { ...data, ticketAccountId: data.accountId };
}

/** The shapes a ticket's events have had. */
export const ticketVersions: Readonly<Record<TicketEvent["type"], EventVersions>> = {
  TicketOpened: {
    schemas: [
      z.strictObject({
        ticketId: idField,
        accountId: idField,
        title: personalField(ticketLimits.title),
        message: messageField,
        priority: z.enum(["low", "normal", "emergency"]),
        serverId: idField.nullable(),
        cause: textField,
        openedAt: instantField,
      }),
    ],
  },
  TicketReplied: {
    schemas: [repliedV1, repliedV2],
    upcasters: [namingTheTicketsAccount],
  },
  TicketClosed: {
    schemas: [
      z.strictObject({
        ticketId: idField,
        by: z.enum(["customer", "staff"]),
        closeId: textField,
        closedAt: instantField,
      }),
    ],
  },
};

/** The shapes the events of a ticket's cause have had. */
export const ticketCauseVersions: Readonly<Record<TicketCauseEvent["type"], EventVersions>> = {
  TicketNumbered: {
    schemas: [z.strictObject({ cause: textField, ticketId: idField, numberedAt: instantField })],
  },
};

/** Reads and names a ticket's events. */
export const ticketCodec = historyCodec<TicketEvent>(ticketVersions);

/** Reads and names the events of a ticket's cause. */
export const ticketCauseCodec = historyCodec<TicketCauseEvent>(ticketCauseVersions);
