import type { MessageInitShape } from "@bufbuild/protobuf";
import type { support } from "@hostledger/protocol";

import type { CommentRow, TicketRow } from "../reads/support.queries.ts";

/** A ticket as a message. */
export function ticketMessage(row: TicketRow): MessageInitShape<typeof support.TicketSchema> {
  return {
    id: BigInt(row.id),
    title: row.title,
    status: row.status,
    priority: row.priority,
    ...(row.server_id === null ? {} : { serverId: BigInt(row.server_id) }),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

/** What customers see of staff: one voice. */
const staff = { id: 0n, name: "Support" } as const;

/** A comment as a message. */
export function commentMessage(row: CommentRow): MessageInitShape<typeof support.CommentSchema> {
  const { account_id: accountId, name } = row;
  const author = accountId === null ? staff : { id: BigInt(accountId), name: name ?? "" };
  return {
    id: BigInt(row.id),
    comment: row.message,
    userId: author.id,
    userName: author.name,
    staff: accountId === null,
    createdAt: row.created_at,
  };
}
