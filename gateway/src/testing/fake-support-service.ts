import { create } from "@bufbuild/protobuf";
import type { ServiceImpl } from "@connectrpc/connect";
import { support } from "@hostledger/protocol";
import { defined } from "@hostledger/runtime";

import { refuseUnlessOwner, theirs } from "./ownership.ts";

export type SupportHandlers = ServiceImpl<typeof support.SupportService>;

/** A ticket as the service would answer it. */
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

/** A support service whose accounts each own one ticket, with the account's number as its id. */
export function fakeSupportHandlers(): SupportHandlers {
  return {
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
