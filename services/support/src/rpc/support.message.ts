import { support } from "@hostledger/protocol";
import { fromRow } from "@hostledger/rpc";
import { defined } from "@hostledger/runtime";

import type { Delivery } from "../notices/deliveries.ts";
import type { CommentRow } from "../reads/support.queries.ts";
import type { TicketRow } from "../reads/support.tables.ts";

export const ticketMessage = fromRow<TicketRow>().toMessage(support.TicketSchema, {});

/** Converts a comment; all staff appear as "Support" with id 0. */
export const commentMessage = fromRow<CommentRow>().toMessage(support.CommentSchema, {
  comment: ({ message }) => message,
  userId: ({ account_id: accountId }) => BigInt(accountId ?? 0),
  userName: ({ account_id: accountId, name }) => (accountId === null ? "Support" : (name ?? "")),
  staff: ({ account_id: accountId }) => accountId === null,
});

/** Converts a delivery for customers and staff. */
export function deliveryMessage(row: Delivery) {
  const { id, notice_id: noticeId, kind, status, attempts, answer, error, created_at: createdAt } = row;
  return {
    deliveryId: BigInt(id),
    noticeId,
    kind,
    status,
    attempts,
    createdAt,
    ...defined({
      nextAttemptAt: status === "pending" ? row.next_at : undefined,
      lastAttemptAt: row.last_at ?? undefined,
      responseStatus: answer ?? undefined,
      error: error ?? undefined,
    }),
  };
}
