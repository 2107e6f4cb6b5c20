import { z } from "zod";

import { eventCodec, type EventVersions } from "../kernel/event-codec.ts";
import { idField, instantField, textField } from "../kernel/fields.ts";
import { ticketLimits } from "./ticket-text.ts";
import type { TicketCauseEvent, TicketEvent } from "./ticket.events.ts";

const messageField = z.string().max(ticketLimits.message);

/** The shapes a ticket's events have had. */
export const ticketVersions: Readonly<Record<TicketEvent["type"], EventVersions>> = {
  TicketOpened: {
    schemas: [
      z.strictObject({
        ticketId: idField,
        accountId: idField,
        title: z.string().max(ticketLimits.title),
        message: messageField,
        priority: z.enum(["low", "normal", "emergency"]),
        serverId: idField.nullable(),
        cause: textField,
        openedAt: instantField,
      }),
    ],
  },
  TicketReplied: {
    schemas: [
      z.strictObject({
        ticketId: idField,
        commentId: idField,
        message: messageField,
        accountId: idField.nullable(),
        replyId: textField,
        repliedAt: instantField,
      }),
    ],
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
export const ticketCodec = eventCodec<TicketEvent>(ticketVersions);

/** Reads and names the events of a ticket's cause. */
export const ticketCauseCodec = eventCodec<TicketCauseEvent>(ticketCauseVersions);
