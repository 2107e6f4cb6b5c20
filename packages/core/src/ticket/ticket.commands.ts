import type { Command } from "../kernel/decider.ts";
import type {
  StaffTicketRequested,
  TicketClosed,
  TicketNumbered,
  TicketOpened,
  TicketReplied,
} from "./ticket.events.ts";

export type OpenTicket = Command<
  "OpenTicket",
  Omit<TicketOpened["data"], "accountId" | "openedAt"> & {
    /** Null for a ticket about the instance, which only staff see. */
    readonly accountId: number | null;
  }
>;

/** Adds a comment; repeating a `replyId` adds none. */
export type ReplyToTicket = Command<
  "ReplyToTicket",
  Omit<TicketReplied["data"], "repliedAt" | "ticketAccountId">
>;

export type CloseTicket = Command<"CloseTicket", Omit<TicketClosed["data"], "closedAt">>;

export type TicketCommand = OpenTicket | ReplyToTicket | CloseTicket;

/** Requests a ticket that only staff see; a cause has at most one. */
export type RequestStaffTicket = Command<
  "RequestStaffTicket",
  Omit<StaffTicketRequested["data"], "requestedAt">
>;

/** Gives a cause its ticket's id; an existing id stays. */
export type NumberTicket = Command<"NumberTicket", Omit<TicketNumbered["data"], "numberedAt">>;

export type TicketCauseCommand = RequestStaffTicket | NumberTicket;
