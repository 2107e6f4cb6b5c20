import { create } from "@bufbuild/protobuf";
import type { ServiceImpl } from "@connectrpc/connect";
import { support } from "@hostledger/protocol";
import { defined } from "@hostledger/runtime";

import { refuseUnlessOwner, theirs } from "./ownership.ts";

export type SupportHandlers = ServiceImpl<typeof support.SupportService>;

export function ticketMessage(id: bigint, serverId?: bigint): support.Ticket {
  return create(support.TicketSchema, {
    id,
    title: "No answer",
    status: "open",
    priority: "normal",
    createdAt: "2026-11-21T01:30:00.000456Z",
    updatedAt: "2026-11-21T01:31:00.000456Z",
    ...defined({ serverId }),
  });
}

export const sampleComment = {
  id: 40n,
  comment: "We look.",
  userId: 2n,
  userName: "Support",
  staff: true,
  createdAt: "2026-11-21T01:31:00.000456Z",
} as const;

const sampleWebhook = {
  url: "https://hooks.example/hostledger",
  kinds: ["domain.registered"],
  createdAt: "2026-11-21T01:30:00.000456Z",
};

const sampleChoices = { balanceLowBelow: "20.00", changedAt: "2026-11-21T01:30:00.000000Z" };

function fakeWebhookHandlers() {
  return {
    listWebhooks: (_request, context) => ({ webhooks: [{ ...sampleWebhook, webhookId: theirs(context) }] }),
    getWebhook({ webhookId }, context) {
      refuseUnlessOwner(context, webhookId, "webhook");
      return { webhook: { ...sampleWebhook, webhookId } };
    },
    getWebhookRevision({ webhookId }, context) {
      refuseUnlessOwner(context, webhookId, "webhook");
      return { revision: 3n };
    },
    changeWebhook({ webhookId, url = sampleWebhook.url, kinds }, context) {
      refuseUnlessOwner(context, webhookId, "webhook");
      return { webhook: { ...sampleWebhook, webhookId, url, kinds } };
    },
    testWebhook({ webhookId }, context) {
      refuseUnlessOwner(context, webhookId, "webhook");
      return { noticeId: "evt_test", responseStatus: 200 };
    },
    createWebhook: () => ({ webhook: { ...sampleWebhook, webhookId: 9n }, secret: "whsec_c2VjcmV0" }),
    deleteWebhook({ webhookId }, context) {
      refuseUnlessOwner(context, webhookId, "webhook");
      return {};
    },
    rotateWebhookSecret({ webhookId }, context) {
      refuseUnlessOwner(context, webhookId, "webhook");
      return { webhook: { ...sampleWebhook, webhookId }, secret: "whsec_c2VjcmV0" };
    },
    listWebhookDeliveries({ webhookId }, context) {
      refuseUnlessOwner(context, webhookId, "webhook");
      return { deliveries: sampleDeliveries() };
    },
    resendWebhookDelivery({ webhookId }, context) {
      refuseUnlessOwner(context, webhookId, "webhook");
      return {};
    },
  } satisfies Partial<SupportHandlers>;
}

function sampleDeliveries() {
  const { createdAt } = sampleWebhook;
  const failed = { noticeId: "msg_2", kind: "domain.renewed", status: "pending", attempts: 1, createdAt };
  const tried = { nextAttemptAt: createdAt, lastAttemptAt: createdAt, error: "answered 500" };
  return [
    { deliveryId: 1n, noticeId: "msg_1", kind: "domain.registered", status: "delivered", createdAt },
    { ...failed, ...tried, deliveryId: 2n },
  ];
}

/** A support service whose accounts each own the ticket with the account's number. */
export function fakeSupportHandlers(): SupportHandlers {
  return {
    getNoticeChoicesRevision: () => ({ revision: -1n }),
    getNoticeChoices: () => ({ choices: sampleChoices }),
    changeNoticeChoices: () => ({ choices: sampleChoices }),
    ...fakeWebhookHandlers(),
    listMailDeliveries: () => ({ deliveries: sampleDeliveries() }),
    resendMailDelivery({ deliveryId }, context) {
      refuseUnlessOwner(context, deliveryId, "delivery");
      return {};
    },
    listTickets: (_request, context) => ({ tickets: [ticketMessage(theirs(context))] }),
    getTicket({ ticketId }, context) {
      refuseUnlessOwner(context, ticketId, "ticket");
      return {
        ticket: ticketMessage(ticketId),
        message: "My server does not answer.",
        comments: [sampleComment],
      };
    },
    openTicket: ({ message, serverId }) => ({ ticket: ticketMessage(9n, serverId), message }),
    replyToTicket({ ticketId, message }, context) {
      refuseUnlessOwner(context, ticketId, "ticket");
      return { ticket: ticketMessage(ticketId), comment: { ...sampleComment, comment: message } };
    },
    closeTicket({ ticketId }, context) {
      refuseUnlessOwner(context, ticketId, "ticket");
      const ticket = ticketMessage(ticketId);
      ticket.status = "closed";
      return { ticket };
    },
  };
}
