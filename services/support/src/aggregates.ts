import {
  ticket,
  ticketCause,
  ticketCauseCodec,
  ticketCodec,
  type NumberTicket,
  type TicketCauseEvent,
  type TicketCauseState,
  type TicketCommand,
  type TicketEvent,
  type TicketState,
} from "@hostledger/core";
import type { Aggregate } from "@hostledger/event-store";

/** A ticket's rules with its streams and its stored events. */
export const ticketAggregate: Aggregate<TicketCommand, TicketState, TicketEvent> = {
  category: "ticket",
  decider: ticket,
  codec: ticketCodec,
};

/** A cause's one ticket, with its streams and its stored events. */
export const ticketCauseAggregate: Aggregate<NumberTicket, TicketCauseState, TicketCauseEvent> = {
  category: "ticketcause",
  decider: ticketCause,
  codec: ticketCauseCodec,
};
