import type { ServiceImpl } from "@connectrpc/connect";
import type { support } from "@hostledger/protocol";
import { ownRow, requestedPage, requireAccount } from "@hostledger/rpc";

import type { SupportDependencies } from "../dependencies.ts";
import { mailDeliveryRpc } from "./mail-deliveries.ts";
import { noticeChoiceRpc } from "./notice-choices.ts";
import { commentMessage, ticketMessage } from "./ticket.message.ts";
import { close, openOwnTicket, reply } from "./tickets.ts";
import { webhookRpc } from "./webhooks.ts";

/** The customer's side of support: one handler for each method. */
export function supportRpc(dependencies: SupportDependencies): ServiceImpl<typeof support.SupportService> {
  const { queries } = dependencies;
  return {
    ...noticeChoiceRpc(dependencies),
    ...webhookRpc(dependencies),
    ...mailDeliveryRpc(dependencies),

    async listTickets({ page }, context) {
      const { accountId } = requireAccount(context);
      const wanted = { accountId, openOnly: false };
      const rows = await queries.ticketsOf(wanted, requestedPage(page));
      return { tickets: rows.map(ticketMessage) };
    },

    async getTicket({ ticketId }, context) {
      const ticket = await ownRow("ticket", ticketId, context, (id) => queries.ticketById(id));
      return {
        ticket: ticketMessage(ticket),
        message: ticket.message,
        comments: (await queries.commentsOf(ticket.id)).map(commentMessage),
      };
    },

    async openTicket(request, context) {
      const opened = await openOwnTicket(dependencies, request, context);
      return { ticket: ticketMessage(opened), message: opened.message };
    },

    async replyToTicket({ ticketId, message }, context) {
      const { accountId } = requireAccount(context);
      const own = await ownRow("ticket", ticketId, context, (id) => queries.ticketById(id));
      const { ticket, comment } = await reply(dependencies, own, accountId, message, context);
      return { ticket: ticketMessage(ticket), comment: commentMessage(comment) };
    },

    async closeTicket({ ticketId }, context) {
      const own = await ownRow("ticket", ticketId, context, (id) => queries.ticketById(id));
      return { ticket: ticketMessage(await close(dependencies, own, "customer", context)) };
    },
  };
}
