import type { support as messages } from "@hostledger/protocol";
import type { z } from "zod";

import type * as schemas from "../schemas/ticket.schema.ts";
import { present } from "./present.ts";

/** A ticket as lists and answers show it. */
export function ticketView(ticket: messages.Ticket): z.infer<typeof schemas.ticket> {
  return {
    id: Number(ticket.id),
    title: ticket.title,
    status: ticket.status,
    priority: ticket.priority,
    server_id: ticket.serverId === undefined ? null : Number(ticket.serverId),
    created_at: ticket.createdAt,
    updated_at: ticket.updatedAt,
  };
}

function commentView(comment: messages.Comment): z.infer<typeof schemas.comment> {
  return {
    id: Number(comment.id),
    comment: comment.comment,
    user: { id: Number(comment.userId), name: comment.userName },
    staff: comment.staff,
    created_at: comment.createdAt,
  };
}

/** One ticket with what was written about it. */
export function ticketWithCommentsView(
  response: messages.GetTicketResponse,
): z.infer<typeof schemas.ticketWithComments> {
  return {
    ...ticketView(present(response.ticket, "GetTicketResponse.ticket")),
    message: response.message,
    comments: response.comments.map(commentView),
  };
}

/** A ticket that was opened or closed. */
export function changedTicketView(
  message: string,
  changed: messages.Ticket | undefined,
): z.infer<typeof schemas.changedTicket> {
  return { status: true, message, ticket: ticketView(present(changed, "the changed ticket")) };
}

/** A comment that was added. */
export function addedCommentView(
  response: messages.ReplyToTicketResponse,
): z.infer<typeof schemas.addedComment> {
  return {
    ...changedTicketView("Reply added", response.ticket),
    comment: commentView(present(response.comment, "ReplyToTicketResponse.comment")),
  };
}
