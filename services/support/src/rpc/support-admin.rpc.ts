import type { ServiceImpl } from "@connectrpc/connect";
import {
  noticeChoiceAggregate,
  parsed,
  type Parsed,
  parseInstant,
  ticketPriorities,
  unparsable,
} from "@hostledger/core";
import type { admin } from "@hostledger/protocol";
import { noSuch, requestedId, requestedPage, validated, type WithContextValues } from "@hostledger/rpc";
import { staffCommand } from "@hostledger/work";

import type { SupportDependencies } from "../dependencies.ts";
import type { Delivery } from "../notices/deliveries.ts";
import { channelOf } from "../notices/receiver.ts";
import type { StaffTickets } from "../reads/staff-tickets.queries.ts";
import type { TicketRow } from "../reads/support.tables.ts";
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

type Handlers = Pick<ServiceImpl<typeof admin.SupportAdminService>, "recordMailBounce" | "resumeMail">;

/** Status codes about the address, not about the mail, system or policy: RFC 3463 §3.1 (0), §3.2, §3.3, §3.5. */
const ofAddresses = /^5\.(?:[0124])\.\d{1,3}$/u;

/** The mail exceeds the mailbox's limit (RFC 3463 §3.3); smaller mails may arrive. */
const tooLarge = "5.2.3";

/** Creates the handler of delivery reports for customers' mail (RFC 3464). */
function mailBounceHandlers(dependencies: SupportDependencies): Handlers {
  const { clock, webhooks } = dependencies;
  const { deliveries, notices } = webhooks;

  async function stops(
    { accountId, email }: { readonly accountId: number; readonly email: string },
    { noticeId, status }: Pick<admin.RecordMailBounceRequest, "noticeId" | "status">,
    context: WithContextValues,
  ): Promise<boolean> {
    if (!ofAddresses.test(status) || status === tooLarge) return false;
    const mailbox = await notices.mailboxOf(accountId);
    // Reports about an earlier address are ignored.
    if (mailbox?.email.toLowerCase() !== email.toLowerCase()) return false;
    const data = { accountId, noticeId, email: mailbox.email, status, at: clock.now() };
    await staffCommand(dependencies, context, {
      aggregate: noticeChoiceAggregate,
      id: accountId,
      command: { type: "RecordMailBounce", data },
      commandId: `bounce/${noticeId}`,
    });
    return true;
  }

  return {
    async recordMailBounce({ noticeId, recipient, status: given }, context) {
      const { status } = validated({ status: parseStatus(given) });
      const sent = await deliveries.ofNotice(noticeId);
      const delivery = sent.find(({ target }) => channelOf(target) === "mail");
      if (delivery === undefined) throw noSuch("delivery");
      await deliveries.cameBack(delivery.id, `it came back (${status})`);
      const { account_id: accountId } = delivery;
      const stopped = await stops({ accountId, email: recipient }, { noticeId, status }, context);
      return { accountId: BigInt(accountId), deliveryId: BigInt(delivery.id), stopped };
    },

    async resumeMail({ accountId }, context) {
      const customerId = await findCustomer(dependencies, accountId);
      const { repeated } = await staffCommand(dependencies, context, {
        aggregate: noticeChoiceAggregate,
        id: customerId,
        command: { type: "ResumeMail", data: { accountId: customerId, at: clock.now() } },
      });
      return { repeated };
    },
  };
}

function parseStatus(text: string): Parsed<string> {
  return /^[45]\.\d{1,3}\.\d{1,3}$/u.test(text)
    ? parsed(text)
    : unparsable("must be an enhanced status code of a failure (RFC 3463), such as 5.1.1");
}
