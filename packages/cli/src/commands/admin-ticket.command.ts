import type { admin } from "@hostledger/protocol";
import { ticketPriorities } from "@hostledger/core";
import { defined } from "@hostledger/runtime";
import { Option, type Command } from "commander";
import { paged, type PageOptions } from "../arguments/page-options.ts";
import { parseId, parseText } from "../arguments/value-parsers.ts";
import type { CommandContext } from "../command-context.ts";
import { wrongUsage } from "../exit-code.ts";
import { jsonInteger } from "../output/json.ts";
import { changed, listing } from "../output/reply.ts";
import { fields, printable, printableLines, shownTime } from "../output/table.ts";
import { answerFromStaff } from "../staff/staff-command.ts";

/** Options of `admin ticket list`. */
interface ListOptions extends PageOptions {
  readonly open: boolean;
  readonly status?: "open" | "closed";
  readonly account?: bigint;
  readonly staff: boolean;
  readonly priority?: string;
  /** Instants. */
  readonly since?: string;
  readonly before?: string;
}

function askedTickets(options: ListOptions) {
  const { open, status = "", priority = "", after: afterId = 0n, limit } = options;
  const { account: accountId, staff: staffOnly, since: openedFrom, before: openedBefore } = options;
  return {
    openOnly: open,
    staffOnly,
    status,
    priority,
    page: { afterId, limit },
    ...defined({ accountId, openedFrom, openedBefore }),
  };
}

/** `admin ticket …`: what customers and the system ask of staff. */
export function addTicketCommands(group: Command, context: CommandContext): void {
  const ticket = group.command("ticket").description("support tickets of all customers");
  addList(ticket, context);
  addShow(ticket, context);
  addReply(ticket, context);
  addClose(ticket, context);
}

function addList(ticket: Command, context: CommandContext): void {
  const list = ticket
    .command("list")
    .description("list tickets, oldest first; filters that are named must all hold")
    .option("--open", "only those that are open", false)
    .addOption(new Option("--status <status>", "only those with this status").choices(["open", "closed"]))
    .option("--account <id>", "only this account's", parseId)
    .option("--staff", "only those for staff alone", false)
    .addOption(
      new Option("--priority <priority>", "only those with this priority").choices([...ticketPriorities]),
    )
    .option("--since <time>", "only those opened then or later, for example 2027-01-01T00:00:00Z")
    .option("--before <time>", "only those opened before then");
  paged(list).action(async (options: ListOptions, command: Command) => {
    if (options.staff && options.account !== undefined)
      throw wrongUsage("A ticket for staff alone is no account's: name --staff or --account.");
    if (options.open && options.status === "closed")
      throw wrongUsage("No ticket is open and closed: name --open or --status.");
    await answerFromStaff(context, command, async ({ support }) => {
      const rows = (await support.listAllTickets(askedTickets(options))).tickets.map(ticketDocument);
      return listing(rows, [
        { heading: "ticket", cell: (row) => row.id, align: "right" },
        { heading: "account", cell: (row) => row.account_id ?? "staff", align: "right" },
        { heading: "status", cell: (row) => row.status },
        { heading: "priority", cell: (row) => row.priority },
        { heading: "opened", cell: (row) => row.created_at },
        { heading: "title", cell: (row) => row.title },
      ]);
    });
  });
}

function addShow(ticket: Command, context: CommandContext): void {
  ticket
    .command("show")
    .description("show a ticket with its comments")
    .argument("<id>", "ticket id", parseId)
    .action(async (ticketId: bigint, _options: object, command: Command) => {
      await answerFromStaff(context, command, async ({ support }) => {
        const shown = await support.showTicket({ ticketId });
        const document = ticketDocument(shown.ticket);
        const comments = shown.comments.map((each) => ({
          id: jsonInteger(each.id),
          user: each.userName,
          staff: each.staff,
          comment: each.comment,
          created_at: each.createdAt,
        }));
        const conversation = comments.map(
          (each) =>
            `\n${printable(each.user)}, ${shownTime(each.created_at)}:\n${printableLines(each.comment)}\n`,
        );
        return {
          document: { ...document, message: shown.message, comments },
          text: `${fields({ ...document })}\n${printableLines(shown.message)}\n${conversation.join("")}`,
        };
      });
    });
}

function addReply(ticket: Command, context: CommandContext): void {
  ticket
    .command("reply")
    .description("answer a ticket as staff")
    .argument("<id>", "ticket id", parseId)
    .requiredOption("--message <text>", "the answer, 1 to 5,000 characters", parseText)
    .action(async (ticketId: bigint, { message }: { message: string }, command: Command) => {
      await answerFromStaff(context, command, async ({ support }) => {
        const { commentId, repeated } = await support.answerTicket({ ticketId, message });
        return changed(repeated, {
          document: { ticket_id: jsonInteger(ticketId), comment_id: jsonInteger(commentId) },
          text: `Ticket ${String(ticketId)} is answered.\n`,
        });
      });
    });
}

function addClose(ticket: Command, context: CommandContext): void {
  ticket
    .command("close")
    .description("close a ticket")
    .argument("<id>", "ticket id", parseId)
    .action(async (ticketId: bigint, _options: object, command: Command) => {
      await answerFromStaff(context, command, async ({ support }) => {
        const { ticket } = await support.showTicket({ ticketId });
        const repeated = ticket?.ticket?.status === "closed";
        if (!repeated) await support.closeTicketFor({ ticketId });
        return {
          document: { ticket_id: jsonInteger(ticketId), repeated },
          text: repeated
            ? `Nothing was done: ticket ${String(ticketId)} was closed before.\n`
            : `Ticket ${String(ticketId)} is closed.\n`,
        };
      });
    });
}

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
