import { z } from "zod";

import { eventCodec } from "../kernel/event-codec.ts";
import { defineEvents, event, type EventOf } from "../kernel/event-definition.ts";
import { id, instant, line, personal, text } from "../kernel/fields.ts";

/** Limits of what people write (contract, "Status codes of the other operations"). */
export const ticketLimits = { title: 255, message: 5_000 } as const;

/** The urgencies of a ticket (contract, "Status codes of the other operations"). */
export const ticketPriorities = ["low", "normal", "emergency"] as const;

/** One of them. */
export type TicketPriority = (typeof ticketPriorities)[number];

/** What happens to a support ticket (stream `ticket-<id>`). */
export const ticketEvents = defineEvents({
  TicketOpened: event("A ticket was opened, by the customer, by staff, or by a fact that needs a person.", {
    ticketId: id,
    accountId: id,
    title: personal(line(ticketLimits.title)),
    message: personal(line(ticketLimits.message)),
    priority: z.enum(ticketPriorities),
    serverId: id.nullable(),
    /** What it was opened for, at most once each: a request of the customer, or the fact that caused it. */
    cause: text,
    openedAt: instant,
  }),
  StaffTicketOpened: event(
    "A ticket was opened for staff alone: it is about the instance, and no customer's.",
    {
      ticketId: id,
      title: line(ticketLimits.title),
      message: line(ticketLimits.message),
      priority: z.enum(ticketPriorities),
      /** What it was opened for, at most once each. */
      cause: text,
      openedAt: instant,
    },
  ),
  TicketReplied: event(
    "Someone added a comment.",
    {
      ticketId: id,
      commentId: id,
      message: personal(line(ticketLimits.message), "ticketAccountId"),
      /** Null for staff: they have one voice. */
      accountId: id.nullable(),
      /** The request that added it: the same twice adds one comment. */
      replyId: text,
      repliedAt: instant,
      /** Whose ticket it is; null where it is for staff alone, or the fact was stored before it said so. */
      ticketAccountId: id.nullable(),
    },
    { firstVersion: 2 },
  ),
  TicketClosed: event("The ticket is settled.", {
    ticketId: id,
    by: z.enum(["customer", "staff"]),
    /** The request that closed it: repeating that request succeeds, another one finds the ticket closed. */
    closeId: text,
    closedAt: instant,
  }),
});

/** Everything that happens to a ticket. */
export type TicketEvent = EventOf<typeof ticketEvents>;
/** A ticket was opened, by the customer, by staff, or by a fact that needs a person. */
export type TicketOpened = EventOf<typeof ticketEvents, "TicketOpened">;
/** A ticket was opened for staff alone: it is about the instance, and no customer's. */
export type StaffTicketOpened = EventOf<typeof ticketEvents, "StaffTicketOpened">;
/** Someone added a comment. */
export type TicketReplied = EventOf<typeof ticketEvents, "TicketReplied">;
/** The ticket is settled. */
export type TicketClosed = EventOf<typeof ticketEvents, "TicketClosed">;

/** Reads and names a ticket's events. */
export const ticketCodec = eventCodec(ticketEvents);

/** What happens to what a ticket is opened for (stream `ticketcause-<cause>`): one cause has one ticket. */
export const ticketCauseEvents = defineEvents({
  StaffTicketRequested: event(
    "Something about the instance needs staff: a ticket for them alone is opened.",
    {
      cause: text,
      title: line(ticketLimits.title),
      message: line(ticketLimits.message),
      priority: z.enum(ticketPriorities),
      requestedAt: instant,
    },
  ),
  TicketNumbered: event("A ticket's id was given to what it is opened for: one cause has one ticket.", {
    cause: text,
    ticketId: id,
    numberedAt: instant,
  }),
});

/** Everything that happens to a ticket's cause. */
export type TicketCauseEvent = EventOf<typeof ticketCauseEvents>;
/** A ticket's id was given to what it is opened for (stream `ticketcause-<cause>`): one cause has one ticket. */
export type TicketNumbered = EventOf<typeof ticketCauseEvents, "TicketNumbered">;
/** Something about the instance needs staff (stream `ticketcause-<cause>`). */
export type StaffTicketRequested = EventOf<typeof ticketCauseEvents, "StaffTicketRequested">;

/** Reads and names the events of a ticket's cause. */
export const ticketCauseCodec = eventCodec(ticketCauseEvents);
