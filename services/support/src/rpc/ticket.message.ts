import { support } from "@hostledger/protocol";
import { fromRow } from "@hostledger/rpc";

import type { CommentRow, TicketRow } from "../reads/support.queries.ts";

/** A ticket as a message. */
export const ticketMessage = fromRow<TicketRow>().toMessage(support.TicketSchema, {});

/** A comment as a message. Customers hear one voice of staff, whose id is 0. */
export const commentMessage = fromRow<CommentRow>().toMessage(support.CommentSchema, {
  comment: ({ message }) => message,
  userId: ({ account_id: accountId }) => BigInt(accountId ?? 0),
  userName: ({ account_id: accountId, name }) => (accountId === null ? "Support" : (name ?? "")),
  staff: ({ account_id: accountId }) => accountId === null,
});
