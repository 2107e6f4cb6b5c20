import type { EndTerms } from "@hostledger/core";
import type { ReadModelDatabase } from "@hostledger/read";

import type { DomainSchema } from "./domain.tables.ts";

/** Prepares the query of life cycles that differ from the default, by extension. */
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
