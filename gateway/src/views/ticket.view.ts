import { support as messages } from "@hostledger/protocol";
import type { z } from "zod";

import * as schemas from "../schemas/ticket.schema.ts";
import { present, view } from "./view.codec.ts";

export const ticketView = view(messages.TicketSchema, schemas.ticket, {});

const commentView = view(messages.CommentSchema, schemas.comment, {
  user: ({ userId, userName }) => ({ id: Number(userId), name: userName }),
});

export function ticketWithCommentsView({
  ticket,
  message,
  comments,
}: messages.GetTicketResponse): z.infer<typeof schemas.ticketWithComments> {
  return {
    ...ticketView(present(ticket, "GetTicketResponse.ticket")),
    message,
    comments: comments.map(commentView),
  };
}

export function changedTicketView(
  message: string,
  changed: messages.Ticket | undefined,
): z.infer<typeof schemas.changedTicket> {
  return { status: true, message, ticket: ticketView(present(changed, "the changed ticket")) };
}

export function addedCommentView({
  ticket,
  comment,
}: messages.ReplyToTicketResponse): z.infer<typeof schemas.addedComment> {
  return {
    ...changedTicketView("Reply added", ticket),
    comment: commentView(present(comment, "ReplyToTicketResponse.comment")),
  };
}
