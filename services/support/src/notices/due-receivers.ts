import type { ReadModelDatabase } from "@hostledger/read";
import type { DueKey } from "@hostledger/work";
import type { WorkSchema } from "@hostledger/work/work-table";

import type { DeliverySchema } from "./deliveries.ts";
import type { Channel } from "./receiver.ts";

/** Receivers as the engine's keys. */
export interface DueReceivers {
  /** Receivers for which something is due at an instant and that no failed attempt pauses, by name, behind one, at most so many. */
  dueTargets(channel: Channel, at: string, after: string, limit: number): Promise<readonly DueKey[]>;
  /** Whether the last attempt at a receiver failed. */
  isFailing(channel: Channel, target: string): Promise<boolean>;
}

/** Reads from the deliveries which receivers are due, and from the engine's failures which are paused. */
export function dueReceivers({
  queries,
}: Pick<ReadModelDatabase<DeliverySchema & WorkSchema>, "queries">): DueReceivers {
  return {
    async dueTargets(channel, at, after, limit) {
      const rows = await queries
        .selectFrom("notice_deliveries")
        .leftJoin("work_failures", (join) =>
          join.on("work_failures.kind", "=", channel).onRef("work_failures.key", "=", "target"),
        )
        .select(["target", "account_id", "work_failures.attempts as failed"])
        .where("status", "=", "pending")
        .where("next_at", "<=", at)
        .where("target", "like", `${channel}-%`)
        .where("target", ">", after)
        // A failure later than now is of a clock that was ahead.
        .where((is) =>
          is.or([is("retry_at", "is", null), is("retry_at", "<=", at), is("failed_at", ">", at)]),
        )
        .groupBy(["target", "account_id", "work_failures.attempts"])
        .orderBy("target")
        .limit(limit)
        .execute();
      return rows.map(({ target: key, account_id: accountId, failed }) => ({
        key,
        accountId,
        isFailing: failed !== null,
      }));
    },
    async isFailing(channel, target) {
      const failures = queries.selectFrom("work_failures").select("attempts").where("kind", "=", channel);
      return (await failures.where("key", "=", target).executeTakeFirst()) !== undefined;
    },
  };
}
