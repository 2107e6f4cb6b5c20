import { z } from "zod";

import { eventCodec } from "../kernel/event-codec.ts";
import { defineEvents, event, type EventOf } from "../kernel/event-definition.ts";
import { id, instant, line, personal, text } from "../kernel/fields.ts";

/** Maximum characters (contract, "Status codes of the other operations"). */
export const ticketLimits = { title: 255, message: 5_000 } as const;

/** Priorities of a ticket (contract, "Status codes of the other operations"). */
export const ticketPriorities = ["low", "normal", "emergency"] as const;

export type TicketPriority = (typeof ticketPriorities)[number];

/** Events of a support ticket (stream `ticket-<id>`). */
export const ticketEvents = defineEvents({
  TicketOpened: event("The customer, staff or the service opened a ticket.", {
    ticketId: id,
    accountId: id,
    title: personal(line(ticketLimits.title)),
    message: personal(line(ticketLimits.message)),
    priority: z.enum(ticketPriorities),
    serverId: id.nullable(),
    /** Cause of the ticket: a customer's request, or an event. A cause has at most one ticket. */
    cause: text,
    openedAt: instant,
  }),
  StaffTicketOpened: event(
    "A ticket for staff alone was opened. It is about the installation, not about a customer.",
    {
      ticketId: id,
      title: line(ticketLimits.title),
      message: line(ticketLimits.message),
      priority: z.enum(ticketPriorities),
      cause: text,
      openedAt: instant,
    },
  ),
  TicketReplied: event(
    "The customer or staff added a comment.",
    {
      ticketId: id,
      commentId: id,
      message: personal(line(ticketLimits.message), "ticketAccountId"),
      /** Null for staff, whose names are not shown. */
      accountId: id.nullable(),
      /** Id of the request; repeating the request adds no second comment. */
      replyId: text,
      repliedAt: instant,
      /** The ticket's account; null if only staff see the ticket, or if an older version stored the event. */
      ticketAccountId: id.nullable(),
    },
    { firstVersion: 2 },
  ),
  TicketClosed: event("The ticket was closed.", {
    ticketId: id,
    by: z.enum(["customer", "staff"]),
    /** Id of the closing request. Repeating that request succeeds; other requests are refused. */
    closeId: text,
    closedAt: instant,
  }),
});

export type TicketEvent = EventOf<typeof ticketEvents>;
export type TicketOpened = EventOf<typeof ticketEvents, "TicketOpened">;
export type StaffTicketOpened = EventOf<typeof ticketEvents, "StaffTicketOpened">;
export type TicketReplied = EventOf<typeof ticketEvents, "TicketReplied">;
export type TicketClosed = EventOf<typeof ticketEvents, "TicketClosed">;

export const ticketCodec = eventCodec(ticketEvents);

/** Events of a ticket's cause (stream `ticketcause-<cause>`): a cause has one ticket. */
export const ticketCauseEvents = defineEvents({
  StaffTicketRequested: event(
    "The service found a problem of the installation that needs staff, and asked for a ticket.",
    {
      cause: text,
      title: line(ticketLimits.title),
      message: line(ticketLimits.message),
      priority: z.enum(ticketPriorities),
      requestedAt: instant,
    },
  ),
  TicketNumbered: event("A ticket id was assigned to a cause, so that each cause opens only one ticket.", {
    cause: text,
    ticketId: id,
    numberedAt: instant,
  }),
});

export type TicketCauseEvent = EventOf<typeof ticketCauseEvents>;
export type TicketNumbered = EventOf<typeof ticketCauseEvents, "TicketNumbered">;
export type StaffTicketRequested = EventOf<typeof ticketCauseEvents, "StaffTicketRequested">;

export const ticketCauseCodec = eventCodec(ticketCauseEvents);
