import { accept, CorruptStreamError, type Decider } from "../kernel/decider.ts";
import type { NumberTicket } from "./ticket.commands.ts";
import type { TicketCauseEvent } from "./ticket.events.ts";

/** Whether a cause has its ticket's id yet. */
export type TicketCauseState =
  { readonly status: "unnumbered" } | { readonly status: "numbered"; readonly ticketId: number };

/**
 * The cause of a ticket (stream `ticketcause-<cause>`): a customer's request, or a fact that needs a person. It gets the id
 * of one ticket before that ticket is opened, so that whoever comes with the same cause again opens the same ticket.
 */
export const ticketCause: Decider<NumberTicket, TicketCauseState, TicketCauseEvent> = {
  initialState: { status: "unnumbered" },
  decide({ data }, state) {
    if (state.status === "numbered") return accept();
    const { at, ...numbered } = data;
    return accept({ type: "TicketNumbered", data: { ...numbered, numberedAt: at } });
  },
  evolve(state, event) {
    if (state.status === "numbered") throw new CorruptStreamError(event.type, state.status);
    return { status: "numbered", ticketId: event.data.ticketId };
  },
};
