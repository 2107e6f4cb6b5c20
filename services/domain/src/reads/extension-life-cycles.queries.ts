import type { EndTerms } from "@hostledger/core";
import type { ReadModelDatabase } from "@hostledger/projections";

import type { DomainSchema } from "./domain.tables.ts";

/** What becomes of names that nobody renews, by extension, where it is not what is usual. */
export function extensionLifeCycles(
  database: ReadModelDatabase<DomainSchema>,
): () => Promise<ReadonlyMap<string, EndTerms>> {
  const rows = database.prepared((db) => db.selectFrom("extension_life_cycles").selectAll());
  return async () =>
    new Map(
      (await rows.all({})).map((row) => [
        row.tld,
        {
          graceDays: row.grace_days,
          redemptionDays: row.redemption_days,
          pendingDeleteDays: row.pending_delete_days,
          restoreCents: row.restore_cents === null ? null : BigInt(row.restore_cents),
        },
      ]),
    );
}
