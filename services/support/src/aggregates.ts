import {
  ticket,
  ticketCodec,
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
