import { support as messages } from "@hostledger/protocol";
import { z } from "zod";

import { listed, listQuery, statusText } from "../../http/listing.ts";
import { operation } from "../../http/operation.ts";
import {
  id,
  idInBody,
  inputExamples,
  line,
  otherwise,
  prose,
  resourceId,
  shownText,
  succeeded,
  timestamp,
} from "../../http/values.schema.ts";
import { present, view } from "../../http/view.codec.ts";

const ticketPath = z.object({ ticket: resourceId.meta({ description: "Ticket id." }) });

const priorities = ["low", "normal", "emergency"] as const;
const text = prose({ minimum: 1, maximum: 5_000 }).meta({ examples: ["My server does not answer."] });

const openTicketBody = z.object({
  title: line({ minimum: 1, maximum: 255 }).meta({ examples: ["No answer"] }),
  message: text,
  priority: z.enum(priorities, { error: otherwise("must be low, normal or emergency") }).default("normal"),
  server_id: idInBody.nullish().meta({ description: "Id of the affected server.", ...inputExamples(1) }),
});

const ticketFields = z.object({
  id,
  title: shownText("No answer"),
  status: z.string().meta({ enum: ["open", "closed"] }),
  priority: z.string().meta({ enum: priorities, examples: ["normal"] }),
  server_id: id.nullable(),
  created_at: timestamp,
  updated_at: timestamp,
});

const ticket = ticketFields.meta({ id: "Ticket", description: "A support ticket." });

const comment = z
  .object({
    id,
    comment: shownText("It answers again."),
    user: z.object({ id: z.int().nonnegative(), name: shownText("Ada Lovelace") }),
    staff: z
      .boolean()
      .meta({ description: "True if the provider's staff wrote the comment.", examples: [false] }),
    created_at: timestamp,
  })
  .meta({ id: "Comment", description: "A comment on a ticket." });

const ticketWithComments = ticketFields
  .extend({
    message: shownText("My server does not answer.", "First message of the ticket."),
    comments: z.array(comment).meta({ description: "Comments, oldest first." }),
  })
  .meta({ id: "TicketWithComments", description: "A ticket with its comments." });

const changedTicket = succeeded({ ticket });

const ticketView = view(messages.TicketSchema, ticket, {});

const commentView = view(messages.CommentSchema, comment, {
  user: ({ userId, userName }) => ({ id: Number(userId), name: userName }),
});

const changedTicketView = (changed: messages.Ticket | undefined) => ({
  ticket: ticketView(present(changed, "the changed ticket")),
});

export const ticketOperations = [
  operation({
    id: "listTickets",
    scopes: ["tickets", "read"],
    route: "GET /tickets",
    summary: "List the account's tickets, oldest first",
    request: { query: listQuery.extend({ status: statusText(["open", "closed"]) }) },
    responses: { 200: z.array(ticket) },
    refusals: [],
    answer: ({ query }, { support, call }) =>
      listed("/tickets", query, async (page) =>
        (await support.listTickets({ page }, call)).tickets.map(ticketView),
      ),
  }),
  operation({
    id: "getTicket",
    scopes: ["tickets", "read"],
    route: "GET /tickets/{ticket}",
    summary: "Read a ticket with its comments",
    request: { params: ticketPath },
    responses: { 200: ticketWithComments },
    refusals: [],
    async body({ params }, { support, call }) {
      const found = await support.getTicket({ ticketId: params.ticket }, call);
      return {
        ...ticketView(present(found.ticket, "GetTicketResponse.ticket")),
        message: found.message,
        comments: found.comments.map(commentView),
      };
    },
  }),
  operation({
    id: "openTicket",
    scopes: ["tickets"],
    route: "POST /tickets",
    summary: "Open a ticket",
    request: { body: openTicketBody },
    responses: { 201: changedTicket },
    message: "Ticket opened",
    // The server in the body may belong to another account.
    refusals: ["unauthorized", "quota-exceeded"],
    async body({ body: { server_id: serverId, ...opened } }, { support, call }) {
      const request = { ...opened, serverId: serverId ?? undefined };
      return changedTicketView((await support.openTicket(request, call)).ticket);
    },
  }),
  operation({
    id: "replyToTicket",
    scopes: ["tickets"],
    route: "POST /tickets/{ticket}/reply",
    summary: "Add a comment to an open ticket",
    request: { params: ticketPath, body: z.object({ message: text }) },
    responses: { 200: changedTicket.extend({ comment }) },
    message: "Reply added",
    refusals: ["ticket-closed", "quota-exceeded"],
    async body({ params, body }, { support, call }) {
      const replied = await support.replyToTicket({ ticketId: params.ticket, ...body }, call);
      const added = commentView(present(replied.comment, "ReplyToTicketResponse.comment"));
      return { ...changedTicketView(replied.ticket), comment: added };
    },
  }),
  operation({
    id: "closeTicket",
    scopes: ["tickets"],
    route: "POST /tickets/{ticket}/close",
    summary: "Close an open ticket",
    request: { params: ticketPath },
    responses: { 200: changedTicket },
    message: "Ticket closed",
    refusals: ["ticket-closed"],
    body: async ({ params }, { support, call }) =>
      changedTicketView((await support.closeTicket({ ticketId: params.ticket }, call)).ticket),
  }),
];
