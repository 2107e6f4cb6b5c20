import { Map as PersistentMap } from "immutable";

import { assertNever } from "../kernel/assert-never.ts";
import { accept, CorruptStreamError, reject, type Decider, type Decision } from "../kernel/decider.ts";
import type { OpenTicket, ReplyToTicket, TicketCommand } from "./ticket.commands.ts";
import type { TicketEvent } from "./ticket.events.ts";

interface OpenedTicket {
  readonly ticketId: number;
  readonly accountId: number | null;
  readonly cause: string;
  /** Ids of the comments, by the request that added them. */
  readonly replies: PersistentMap<string, number>;
}

/** A ticket is absent, open or closed; a closed ticket is never opened again. */
export type TicketState =
  | { readonly status: "absent" }
  | ({ readonly status: "open" } & OpenedTicket)
  | ({ readonly status: "closed"; readonly closeId: string } & OpenedTicket);

export const commentLimit = 1_000;

/** Rules of a support ticket (stream `ticket-<id>`). */
export const ticket: Decider<TicketCommand, TicketState, TicketEvent> = {
  initialState: { status: "absent" },
  decide,
  evolve,
};

function decide(command: TicketCommand, state: TicketState): Decision<TicketEvent> {
  switch (command.type) {
    case "OpenTicket": {
      const { at, ...opened } = command.data;
      if (state.status === "absent") return accept(openedBy(opened, at));
      // A ticket's id belongs to one cause, so another cause is a bug.
      if (state.cause !== opened.cause)
        throw new Error(`the ticket ${String(opened.ticketId)} has another cause`);
      return accept();
    }
    case "ReplyToTicket":
      return reply(command, state);
    case "CloseTicket": {
      const { at, ...closed } = command.data;
      if (state.status === "absent") return reject("not-found", "There is no such ticket.");
      if (state.status === "open") return accept({ type: "TicketClosed", data: { ...closed, closedAt: at } });
      return state.closeId === closed.closeId ? accept() : reject("ticket-closed");
    }
    default:
      return assertNever(command);
  }
}

function openedBy(opened: Omit<OpenTicket["data"], "at">, openedAt: string): TicketEvent {
  const { accountId } = opened;
  if (accountId !== null) return { type: "TicketOpened", data: { ...opened, accountId, openedAt } };
  const { ticketId, title, message, priority, cause } = opened;
  return { type: "StaffTicketOpened", data: { ticketId, title, message, priority, cause, openedAt } };
}

function reply({ data }: ReplyToTicket, state: TicketState): Decision<TicketEvent> {
  const { at, ...comment } = data;
  if (state.status === "absent") return reject("not-found", "There is no such ticket.");
  if (state.replies.has(comment.replyId)) return accept();
  if (state.status === "closed") return reject("ticket-closed");
  if (state.replies.size >= commentLimit) {
    return reject("validation-failed", "The ticket has too many comments; open a new one.", {
      fieldErrors: { message: [`cannot be added: a ticket has at most ${String(commentLimit)} comments`] },
    });
  }
  return accept({
    type: "TicketReplied",
    data: { ...comment, ticketAccountId: state.accountId, repliedAt: at },
  });
}

function evolve(state: TicketState, event: TicketEvent): TicketState {
  switch (event.type) {
    case "TicketOpened":
    case "StaffTicketOpened": {
      if (state.status !== "absent") throw new CorruptStreamError(event.type, state.status);
      const { ticketId, cause } = event.data;
      const accountId = event.type === "TicketOpened" ? event.data.accountId : null;
      return { status: "open", ticketId, accountId, cause, replies: PersistentMap() };
    }
    case "TicketReplied": {
      if (state.status !== "open") throw new CorruptStreamError(event.type, state.status);
      const { replyId, commentId } = event.data;
      return { ...state, replies: state.replies.set(replyId, commentId) };
    }
    case "TicketClosed": {
      if (state.status !== "open") throw new CorruptStreamError(event.type, state.status);
      return { ...state, status: "closed", closeId: event.data.closeId };
    }
    default:
      return assertNever(event);
  }
}
