import type { ServiceImpl } from "@connectrpc/connect";
import { parsed, parseInstant, ticketPriorities, unparsable, type Parsed } from "@hostledger/core";
import type { admin } from "@hostledger/protocol";
import { noSuch, requestedId, requestedPage, validated } from "@hostledger/rpc";

import type { SupportDependencies } from "../dependencies.ts";
import type { Delivery } from "../notices/deliveries.ts";
import { channelOf } from "../notices/receiver.ts";
import type { StaffTickets } from "../reads/staff-tickets.queries.ts";
import type { TicketRow } from "../reads/support.tables.ts";
import { mailBounceHandlers } from "./mail-bounces.ts";
import { commentMessage, deliveryMessage, ticketMessage } from "./support.message.ts";
import { close, findCustomer, findTicket, openTicket, reply } from "./tickets.ts";

type AdminService = ServiceImpl<typeof admin.SupportAdminService>;

const ticketStatuses = ["open", "closed"];

const endOfTime = "9999-12-31T23:59:59.999999Z";

/** Creates the staff's handlers of tickets and notices. */
export function supportAdminRpc(dependencies: SupportDependencies): AdminService {
  const { queries } = dependencies;
  return {
    ...noticeHandlers(dependencies),
    ...mailBounceHandlers(dependencies),

    async listAllTickets(request) {
      const { accountId, openOnly } = request;
      const page = requestedPage(request.page);
      const wanted = staffTickets(request);
      const rows = await queries.staffTickets(wanted, page);
      const tickets = rows.map(customerTicketMessage);
      if (accountId === undefined) return { tickets };
      const total = await queries.ticketCount({ accountId: requestedId("account", accountId), openOnly });
      return { tickets, total: BigInt(total) };
    },

    async showTicket({ ticketId }) {
      const ticket = await findTicket(dependencies, ticketId);
      return {
        ticket: customerTicketMessage(ticket),
        message: ticket.message,
        comments: (await queries.commentsOf(ticket.id)).map(commentMessage),
      };
    },

    async openTicketFor({ accountId, ...request }, context) {
      const customerId = await findCustomer(dependencies, accountId);
      const opened = await openTicket(dependencies, customerId, request, context);
      return { ticketId: BigInt(opened.id) };
    },

    async answerTicket({ ticketId, message }, context) {
      const { comment, repeated } = await reply(
        dependencies,
        await findTicket(dependencies, ticketId),
        null,
        message,
        context,
      );
      return { ticketId, commentId: BigInt(comment.id), repeated };
    },

    async closeTicketFor({ ticketId }, context) {
      await close(dependencies, await findTicket(dependencies, ticketId), "staff", context);
      return { ticketId };
    },
  };
}

/** Parses the filter. @throws ConnectError `validation-failed` */
function staffTickets(request: admin.ListAllTicketsRequest): StaffTickets {
  const { accountId, openOnly, openedFrom, openedBefore } = request;
  const { status, priority, opened_from, opened_before } = validated({
    status: parseOneOf(request.status, ticketStatuses),
    priority: parseOneOf(request.priority, ticketPriorities),
    opened_from: openedFrom === undefined ? parsed("") : parseInstant(openedFrom),
    opened_before: openedBefore === undefined ? parsed(endOfTime) : parseInstant(openedBefore),
  });
  return {
    accountId: accountId === undefined ? 0 : requestedId("account", accountId),
    staffOnly: request.staffOnly ? 1 : 0,
    status: openOnly ? "open" : status,
    priority,
    from: opened_from,
    before: opened_before,
  };
}

function parseOneOf(text: string, words: readonly string[]): Parsed<string> {
  return text === "" || words.includes(text) ? parsed(text) : unparsable(`must be ${words.join(" or ")}`);
}

function noticeHandlers(
  dependencies: SupportDependencies,
): Pick<AdminService, "listNoticeDeliveries" | "resendNoticeDelivery"> {
  const { clock, webhooks } = dependencies;
  const { deliveries } = webhooks;
  return {
    async listNoticeDeliveries({ accountId, page }) {
      const customerId = await findCustomer(dependencies, accountId);
      const rows = await deliveries.ofAccount(customerId, requestedPage(page));
      return { deliveries: rows.map(noticeMessage) };
    },

    async resendNoticeDelivery({ deliveryId }) {
      if (!(await deliveries.resend(requestedId("delivery", deliveryId), clock.now())))
        throw noSuch("delivery");
      return {};
    },
  };
}

/** Converts a delivery for staff. The receiver is `mail`, or the webhook's target. */
function noticeMessage(row: Delivery) {
  const { target } = row;
  const channel = channelOf(target);
  return { receiver: channel === "mail" ? channel : target, delivery: deliveryMessage(row) };
}

function customerTicketMessage(row: TicketRow) {
  return { accountId: BigInt(row.account_id ?? 0), ticket: ticketMessage(row) };
}
