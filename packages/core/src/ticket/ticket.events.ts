/** What happens to a support ticket (stream `ticket-<id>`). */

/** The urgency of a ticket (contract, "Status codes of the other operations"). */
export type TicketPriority = "low" | "normal" | "emergency";

/** A ticket was opened, by the customer, by staff, or by a fact that needs a person. */
export interface TicketOpened {
  readonly type: "TicketOpened";
  readonly data: {
    readonly ticketId: number;
    readonly accountId: number;
    readonly title: string;
    readonly message: string;
    readonly priority: TicketPriority;
    readonly serverId: number | null;
    /** What it was opened for, at most once each: a request of the customer, or the fact that caused it. */
    readonly cause: string;
    readonly openedAt: string;
  };
}

/** Someone added a comment. */
export interface TicketReplied {
  readonly type: "TicketReplied";
  readonly data: {
    readonly ticketId: number;
    readonly commentId: number;
    /** Whose ticket it is; null where the fact was stored before it said so, and staff wrote it. */
    readonly ticketAccountId: number | null;
    readonly message: string;
    /** Null for staff: they have one voice. */
    readonly accountId: number | null;
    /** The request that added it: the same twice adds one comment. */
    readonly replyId: string;
    readonly repliedAt: string;
  };
}

/** The ticket is settled. */
export interface TicketClosed {
  readonly type: "TicketClosed";
  readonly data: {
    readonly ticketId: number;
    readonly by: "customer" | "staff";
    /** The request that closed it: repeating that request succeeds, another one finds the ticket closed. */
    readonly closeId: string;
    readonly closedAt: string;
  };
}

/** A ticket's id was given to what it is opened for (stream `ticketcause-<cause>`): one cause has one ticket. */
export interface TicketNumbered {
  readonly type: "TicketNumbered";
  readonly data: { readonly cause: string; readonly ticketId: number; readonly numberedAt: string };
}

/** Everything that happens to a ticket. */
export type TicketEvent = TicketOpened | TicketReplied | TicketClosed;

/** Everything that happens to a ticket's cause. */
export type TicketCauseEvent = TicketNumbered;
