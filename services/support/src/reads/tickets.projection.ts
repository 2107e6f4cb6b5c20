import type { Projection } from "@hostledger/read";

import { isCauseOfRequest } from "./ticket-causes.ts";
import { unheardIgnored, type SupportSubscriptionEvent } from "./support.subscription.ts";
import { ticketTables } from "./support.tables.ts";

/** Tickets of customers and of staff with their comments. Texts stay sealed. */
export const tickets: Projection<SupportSubscriptionEvent, typeof ticketTables> = {
  name: "tickets",
  version: 4,
  categories: ["ticket"],
  tables: ticketTables,
  handlers: {
    ...unheardIgnored,
    TicketOpened: (db, { event: { data } }) => {
      db.insert("tickets", {
        id: data.ticketId,
        account_id: data.accountId,
        title: data.title,
        message: data.message,
        status: "open",
        priority: data.priority,
        server_id: data.serverId,
        requested: isCauseOfRequest(data.cause),
        created_at: data.openedAt,
        updated_at: data.openedAt,
      });
    },
    StaffTicketOpened: (db, { event: { data } }) => {
      db.insert("tickets", {
        id: data.ticketId,
        account_id: null,
        title: data.title,
        message: data.message,
        status: "open",
        priority: data.priority,
        server_id: null,
        requested: false,
        created_at: data.openedAt,
        updated_at: data.openedAt,
      });
    },
    TicketReplied: (db, { event: { data } }) => {
      db.insert("ticket_comments", {
        id: data.commentId,
        ticket_id: data.ticketId,
        account_id: data.accountId,
        message: data.message,
        created_at: data.repliedAt,
      });
      db.update("tickets", { id: data.ticketId }, { updated_at: data.repliedAt });
    },
    TicketClosed: (db, { event: { data } }) => {
      db.update("tickets", { id: data.ticketId }, { status: "closed", updated_at: data.closedAt });
    },
  },
};
