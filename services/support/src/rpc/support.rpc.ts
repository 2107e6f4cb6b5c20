import type { ServiceImpl } from "@connectrpc/connect";
import type { support } from "@hostledger/protocol";
import { noSuch, ownRow, requestedSelection, requireAccount } from "@hostledger/rpc";

import type { SupportDependencies } from "../dependencies.ts";
import { channelOf, targetOf } from "../notices/receiver.ts";
import { noticeChoiceRpc } from "./notice-choices.ts";
import { commentMessage, deliveryMessage, ticketMessage } from "./support.message.ts";
import { close, openOwnTicket, reply } from "./tickets.ts";
import { sendAgain } from "./send-again.ts";
import { webhookRpc } from "./webhooks.ts";

/** Creates the customers' handlers of support. */
export function supportRpc(dependencies: SupportDependencies): ServiceImpl<typeof support.SupportService> {
  const { queries } = dependencies;
  return {
    ...noticeChoiceRpc(dependencies),
    ...webhookRpc(dependencies),
    ...mailDeliveryRpc(dependencies),

    async listTickets({ page }, context) {
      const { accountId } = requireAccount(context);
      const rows = await queries.selectedTickets(accountId, requestedSelection(page));
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

type Handlers = Pick<ServiceImpl<typeof support.SupportService>, "listMailDeliveries" | "resendMailDelivery">;

function mailDeliveryRpc(dependencies: SupportDependencies): Handlers {
  const { deliveries } = dependencies.webhooks;
  return {
    async listMailDeliveries({ page }, context) {
      const { accountId } = requireAccount(context);
      const rows = await deliveries.of(targetOf("mail", accountId), requestedSelection(page));
      return { deliveries: rows.map(deliveryMessage) };
    },

    async resendMailDelivery({ deliveryId }, context) {
      const own = await ownRow("delivery", deliveryId, context, (id) => deliveries.byId(id));
      if (channelOf(own.target) !== "mail") throw noSuch("delivery");
      await sendAgain(dependencies, own, context);
      return {};
    },
  };
}
