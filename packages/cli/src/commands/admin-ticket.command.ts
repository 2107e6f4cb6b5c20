import { ticketPriorities } from "@hostledger/core";
import { admin, support } from "@hostledger/protocol";

import { parseId, parseText } from "../arguments/value-parsers.ts";
import { wrongUsage } from "../exit-code.ts";
import { jsonInteger } from "../output/json.ts";
import { documentOf, viewOf } from "../output/message-document.ts";
import { fields, printable, printableLines, shownTime } from "../output/table.ts";
import { argument, choice, flag, option, page, required } from "../staff/command-line.codec.ts";
import { call, custom, noun } from "../staff/staff-table.ts";

const { listAllTickets, showTicket, answerTicket } = admin.SupportAdminService.method;
const ticketId = argument("<id>", "ticket id", parseId);

const tickets = viewOf(
  admin.CustomerTicketSchema,
  {
    ticket: { right: ({ ticket }) => ticket && jsonInteger(ticket.id) },
    account: { right: ({ accountId }) => (accountId === 0n ? "staff" : jsonInteger(accountId)) },
    status: ({ ticket }) => ticket?.status,
    priority: ({ ticket }) => ticket?.priority,
    opened: ({ ticket }) => ticket?.createdAt,
    title: ({ ticket }) => ticket?.title,
  },
  ticketDocument,
);

export const addTicketCommands = noun("ticket", "support tickets of all customers", [
  call(["list", "list tickets that match all given filters, oldest first"], listAllTickets, {
    inputs: {
      openOnly: flag("--open", "only open tickets"),
      status: choice("--status <status>", "only tickets with this status", ["open", "closed"]),
      accountId: option("--account <id>", "only of this account", parseId),
      staffOnly: flag("--staff", "only tickets that customers cannot see"),
      priority: choice("--priority <priority>", "only tickets with this priority", ticketPriorities),
      openedFrom: option(
        "--since <time>",
        "only tickets opened at this time or later, for example 2027-01-01T00:00:00Z",
      ),
      openedBefore: option("--before <time>", "only tickets opened before this time"),
      page,
    },
    refuse({ staffOnly, accountId, openOnly, status }) {
      if (staffOnly === true && accountId !== undefined)
        throw wrongUsage("Tickets for staff alone have no account: name --staff or --account, not both.");
      if (openOnly === true && status === "closed")
        throw wrongUsage("No ticket is both open and closed: name --open or --status, not both.");
    },
    answer: (list) => tickets.list(list.tickets),
  }),
  call(["show", "show a ticket with its comments"], showTicket, {
    inputs: { ticketId },
    answer({ ticket, message, comments }) {
      const document = ticketDocument(ticket);
      const conversation = comments.map(
        ({ userName, createdAt, comment }) =>
          `\n${printable(userName)}, ${shownTime(createdAt)}:\n${printableLines(comment)}\n`,
      );
      return {
        document: {
          ...document,
          message,
          comments: comments.map((each) =>
            documentOf(support.CommentSchema, each, { userName: "user", userId: null }),
          ),
        },
        text: `${fields(document)}\n${printableLines(message)}\n${conversation.join("")}`,
      };
    },
  }),
  call(["reply", "answer a ticket as staff"], answerTicket, {
    inputs: {
      ticketId,
      message: required("--message <text>", "the answer, 1 to 5,000 characters", parseText),
    },
    document: ({ commentId }, { ticketId: id = 0n }) => ({
      ticket_id: jsonInteger(id),
      comment_id: jsonInteger(commentId),
    }),
    text: (_answered, { ticketId: id }) => `Ticket ${String(id)} is answered.\n`,
  }),
  custom(["close", "close a ticket"], { ticketId }, async (staff, { ticketId: id }) => {
    const { ticket } = await staff.support.showTicket({ ticketId: id });
    const repeated = ticket?.ticket?.status === "closed";
    if (!repeated) await staff.support.closeTicketFor({ ticketId: id });
    return {
      document: { ticket_id: jsonInteger(id), repeated },
      text: repeated
        ? `Nothing was done: ticket ${String(id)} was closed before.\n`
        : `Ticket ${String(id)} is closed.\n`,
    };
  }),
]);

function ticketDocument(shown: admin.CustomerTicket | undefined) {
  const ticket = shown?.ticket;
  if (shown === undefined || ticket === undefined)
    throw new Error("The instance answered with a ticket that has no content.");
  return {
    id: jsonInteger(ticket.id),
    // Null for a ticket about the instance, which only staff see.
    account_id: shown.accountId === 0n ? null : jsonInteger(shown.accountId),
    title: ticket.title,
    status: ticket.status,
    priority: ticket.priority,
    server_id: ticket.serverId === undefined ? null : jsonInteger(ticket.serverId),
    created_at: ticket.createdAt,
    updated_at: ticket.updatedAt,
  };
}
