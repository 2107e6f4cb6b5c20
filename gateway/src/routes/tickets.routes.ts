import type { Client } from "@connectrpc/connect";
import type { support as messages } from "@hostledger/protocol";

import { listed } from "../http/listing.ts";
import { operation, type Operation } from "../http/operation.ts";
import { listQuery, statusText } from "../schemas/page.schema.ts";
import {
  addedComment,
  changedTicket,
  openTicketBody,
  replyBody,
  ticketList,
  ticketPath,
  ticketWithComments,
} from "../schemas/ticket.schema.ts";
import {
  addedCommentView,
  changedTicketView,
  ticketView,
  ticketWithCommentsView,
} from "../views/ticket.view.ts";

type SupportClient = Client<typeof messages.SupportService>;

export function ticketRoutes(support: SupportClient): Operation[] {
  return [...reading(support), ...writing(support)];
}

function reading(support: SupportClient): Operation[] {
  return [
    operation({
      id: "listTickets",
      scopes: ["tickets", "read"],
      tag: "Tickets",
      method: "get",
      path: "/tickets",
      summary: "List the tickets of the account, oldest first",
      request: { query: listQuery.extend({ status: statusText(["open", "closed"]) }) },
      responses: { 200: ticketList },
      refusals: [],
      handle: ({ query }, { call }) =>
        listed("/tickets", query, async (page) => {
          const list = await support.listTickets({ page }, call);
          return list.tickets.map(ticketView);
        }),
    }),
    operation({
      id: "getTicket",
      scopes: ["tickets", "read"],
      tag: "Tickets",
      method: "get",
      path: "/tickets/{ticket}",
      summary: "Read one ticket with its comments",
      request: { params: ticketPath },
      responses: { 200: ticketWithComments },
      refusals: [],
      async handle({ params }, { call }) {
        const found = await support.getTicket({ ticketId: params.ticket }, call);
        return { status: 200, body: ticketWithCommentsView(found) };
      },
    }),
  ];
}

function writing(support: SupportClient): Operation[] {
  return [
    operation({
      id: "openTicket",
      scopes: ["tickets"],
      tag: "Tickets",
      method: "post",
      path: "/tickets",
      summary: "Open a ticket",
      request: { body: openTicketBody },
      responses: { 201: changedTicket },
      exampleMessage: "Ticket opened",
      // The server in the body may belong to another account.
      refusals: ["unauthorized", "quota-exceeded"],
      async handle({ body: { server_id: serverId, ...ticket } }, { call }) {
        const opened = await support.openTicket({ ...ticket, serverId: serverId ?? undefined }, call);
        return { status: 201, body: changedTicketView("Ticket opened", opened.ticket) };
      },
    }),
    operation({
      id: "replyToTicket",
      scopes: ["tickets"],
      tag: "Tickets",
      method: "post",
      path: "/tickets/{ticket}/reply",
      summary: "Add a comment to an open ticket",
      request: { params: ticketPath, body: replyBody },
      responses: { 200: addedComment },
      exampleMessage: "Reply added",
      refusals: ["ticket-closed", "quota-exceeded"],
      async handle({ params, body: { message } }, { call }) {
        const replied = await support.replyToTicket({ ticketId: params.ticket, message }, call);
        return { status: 200, body: addedCommentView(replied) };
      },
    }),
    operation({
      id: "closeTicket",
      scopes: ["tickets"],
      tag: "Tickets",
      method: "post",
      path: "/tickets/{ticket}/close",
      summary: "Close an open ticket",
      request: { params: ticketPath },
      responses: { 200: changedTicket },
      exampleMessage: "Ticket closed",
      refusals: ["ticket-closed"],
      async handle({ params }, { call }) {
        const closed = await support.closeTicket({ ticketId: params.ticket }, call);
        return { status: 200, body: changedTicketView("Ticket closed", closed.ticket) };
      },
    }),
  ];
}
