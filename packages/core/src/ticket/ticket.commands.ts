import type { Command } from "../kernel/decider.ts";
import type {
  StaffTicketRequested,
  TicketClosed,
  TicketNumbered,
  TicketOpened,
  TicketReplied,
} from "./ticket.events.ts";

/** Opens a ticket. */
export type OpenTicket = Command<
  "OpenTicket",
  Omit<TicketOpened["data"], "accountId" | "openedAt"> & {
    /** Null: it is about the instance, and for staff alone. */
    readonly accountId: number | null;
  }
>;

/** Adds a comment; the same `replyId` twice adds one. */
export type ReplyToTicket = Command<
  "ReplyToTicket",
  Omit<TicketReplied["data"], "repliedAt" | "ticketAccountId">
>;

/** Closes a ticket. */
export type CloseTicket = Command<"CloseTicket", Omit<TicketClosed["data"], "closedAt">>;

/** Everything that can be asked of a ticket. */
export type TicketCommand = OpenTicket | ReplyToTicket | CloseTicket;

/** Asks for a ticket that only staff see; the same cause twice has one. */
export type RequestStaffTicket = Command<
  "RequestStaffTicket",
  Omit<StaffTicketRequested["data"], "requestedAt">
>;

/** Gives a cause its ticket's id; a cause that has one keeps it. */
export type NumberTicket = Command<"NumberTicket", Omit<TicketNumbered["data"], "numberedAt">>;

/** Everything that can be asked of a ticket's cause. */
export type TicketCauseCommand = RequestStaffTicket | NumberTicket;
