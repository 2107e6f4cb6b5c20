import { defined } from "@hostledger/runtime";

import type { Delivery } from "../notices/deliveries.ts";

/** A delivery as customers and staff see it. */
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
