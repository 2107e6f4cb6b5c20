import { assertNever } from "../kernel/assert-never.ts";
import { accept, CorruptStreamError, type Decider, type Decision } from "../kernel/decider.ts";
import type { TicketCauseCommand } from "./ticket.commands.ts";
import type { TicketCauseEvent } from "./ticket.events.ts";

/** State of a cause: without ticket, requested, or with the ticket's id. */
export type TicketCauseState =
  | { readonly status: "unnumbered" | "requested" }
  | { readonly status: "numbered"; readonly ticketId: number };

/** Rules of a ticket's cause (stream `ticketcause-<cause>`). A repeated cause gets the same ticket. */
export const ticketCause: Decider<TicketCauseCommand, TicketCauseState, TicketCauseEvent> = {
  initialState: { status: "unnumbered" },
  decide,
  evolve,
};

function decide(command: TicketCauseCommand, state: TicketCauseState): Decision<TicketCauseEvent> {
  switch (command.type) {
    case "RequestStaffTicket": {
      if (state.status !== "unnumbered") return accept();
      const { at, ...requested } = command.data;
      return accept({ type: "StaffTicketRequested", data: { ...requested, requestedAt: at } });
    }
    case "NumberTicket": {
      if (state.status === "numbered") return accept();
      const { at, ...numbered } = command.data;
      return accept({ type: "TicketNumbered", data: { ...numbered, numberedAt: at } });
    }
    default:
      return assertNever(command);
  }
}

function evolve(state: TicketCauseState, event: TicketCauseEvent): TicketCauseState {
  switch (event.type) {
    case "StaffTicketRequested":
      if (state.status !== "unnumbered") throw new CorruptStreamError(event.type, state.status);
      return { status: "requested" };
    case "TicketNumbered":
      if (state.status === "numbered") throw new CorruptStreamError(event.type, state.status);
      return { status: "numbered", ticketId: event.data.ticketId };
    default:
      return assertNever(event);
  }
}
