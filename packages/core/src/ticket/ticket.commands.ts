import type {
  StaffTicketRequested,
  TicketClosed,
  TicketNumbered,
  TicketOpened,
  TicketReplied,
} from "./ticket.events.ts";

/** Opens a ticket. */
export interface OpenTicket {
  readonly type: "OpenTicket";
  readonly data: Omit<TicketOpened["data"], "accountId" | "openedAt"> & {
    /** Null: it is about the instance, and for staff alone. */
    readonly accountId: number | null;
    readonly at: string;
  };
}

/** Adds a comment; the same `replyId` twice adds one. */
export interface ReplyToTicket {
  readonly type: "ReplyToTicket";
  readonly data: Omit<TicketReplied["data"], "repliedAt" | "ticketAccountId"> & { readonly at: string };
}

/** Closes a ticket. */
export interface CloseTicket {
  readonly type: "CloseTicket";
  readonly data: Omit<TicketClosed["data"], "closedAt"> & { readonly at: string };
}

/** Everything that can be asked of a ticket. */
export type TicketCommand = OpenTicket | ReplyToTicket | CloseTicket;

/** Asks for a ticket that only staff see; the same cause twice has one. */
export interface RequestStaffTicket {
  readonly type: "RequestStaffTicket";
  readonly data: Omit<StaffTicketRequested["data"], "requestedAt"> & { readonly at: string };
}

/** Gives a cause its ticket's id; a cause that has one keeps it. */
export interface NumberTicket {
  readonly type: "NumberTicket";
  readonly data: Omit<TicketNumbered["data"], "numberedAt"> & { readonly at: string };
}

/** Everything that can be asked of a ticket's cause. */
export type TicketCauseCommand = RequestStaffTicket | NumberTicket;
