import type { ServiceImpl } from "@connectrpc/connect";
import type { admin } from "@hostledger/protocol";
import { noSuch, requestedId, requestedPage, requireStaff } from "@hostledger/rpc";

import type { SupportDependencies } from "../dependencies.ts";
import type { Delivery } from "../notices/deliveries.ts";
import { channelOf } from "../notices/receiver.ts";
import type { TicketRow } from "../reads/support.queries.ts";
import { mailBounceHandlers } from "./mail-bounces.ts";
import { commentMessage, deliveryMessage, ticketMessage } from "./support.message.ts";
import { close, findCustomer, findTicket, openTicket, reply } from "./tickets.ts";

type AdminService = ServiceImpl<typeof admin.SupportAdminService>;

/** Staff's side of support: tickets and notices of all customers. */
export function supportAdminRpc(dependencies: SupportDependencies): AdminService {
  const { queries } = dependencies;
  return {
    ...noticeHandlers(dependencies),
    ...mailBounceHandlers(dependencies),

    async listAllTickets({ accountId, openOnly, ...request }, context) {
      requireStaff(context);
      const page = requestedPage(request.page);
      if (accountId === undefined) {
        const rows = await (openOnly ? queries.openTickets(page) : queries.allTickets(page));
        return { tickets: rows.map(customerTicketMessage) };
      }
      const wanted = { accountId: requestedId("account", accountId), openOnly };
      const rows = await queries.ticketsOf(wanted, page);
      return { tickets: rows.map(customerTicketMessage), total: BigInt(await queries.ticketCount(wanted)) };
    },

    async showTicket({ ticketId }, context) {
      requireStaff(context);
      const ticket = await findTicket(dependencies, ticketId);
      return {
        ticket: customerTicketMessage(ticket),
        message: ticket.message,
        comments: (await queries.commentsOf(ticket.id)).map(commentMessage),
      };
    },

    async openTicketFor({ accountId, ...request }, context) {
      requireStaff(context);
      const customerId = await findCustomer(dependencies, accountId);
      const opened = await openTicket(dependencies, customerId, request, context);
      return { ticketId: BigInt(opened.id) };
    },

    async answerTicket({ ticketId, message }, context) {
      requireStaff(context);
      const { comment } = await reply(
        dependencies,
        await findTicket(dependencies, ticketId),
        null,
        message,
        context,
      );
      return { ticketId, commentId: BigInt(comment.id) };
    },

    async closeTicketFor({ ticketId }, context) {
      requireStaff(context);
      await close(dependencies, await findTicket(dependencies, ticketId), "staff", context);
      return { ticketId };
    },
  };
}

function noticeHandlers(
  dependencies: SupportDependencies,
): Pick<AdminService, "listNoticeDeliveries" | "resendNoticeDelivery"> {
  const { clock, webhooks } = dependencies;
  const { deliveries } = webhooks;
  return {
    async listNoticeDeliveries({ accountId, page }, context) {
      requireStaff(context);
      const customerId = await findCustomer(dependencies, accountId);
      const rows = await deliveries.ofAccount(customerId, requestedPage(page));
      return { deliveries: rows.map(noticeMessage) };
    },

    async resendNoticeDelivery({ deliveryId }, context) {
      requireStaff(context);
      if (!(await deliveries.resend(requestedId("delivery", deliveryId), clock.now())))
        throw noSuch("delivery");
      return {};
    },
  };
}

/** Each account has one mailbox, and any number of webhooks. */
function noticeMessage(row: Delivery) {
  const { target } = row;
  const channel = channelOf(target);
  return { receiver: channel === "mail" ? channel : target, delivery: deliveryMessage(row) };
}

function customerTicketMessage(row: TicketRow) {
  return { accountId: BigInt(row.account_id ?? 0), ticket: ticketMessage(row) };
}
