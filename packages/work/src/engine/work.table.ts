import { table, type RowWriter, type Schema } from "@hostledger/read";

/**
 * The table of due work (ADR 0180). A projection makes a key due whenever its stream changes, and the engine writes down when it
 * is due again. A rebuild makes every key due once, which costs one look at each stream.
 */
export const workTables = {
  work: table({
    columns: {
      kind: "text",
      key: "text",
      /** Owner of the work: keys of one account run one after the other. */
      account_id: "integer?",
      /** ISO 8601 UTC; null: not before its stream changes. */
      due_at: "text?",
      /** A balance that grows makes it due earlier. */
      awaits_funds: "boolean",
    },
    primaryKey: ["kind", "key"],
    indexes: [{ columns: ["due_at"] }, { columns: ["awaits_funds"] }],
    sharedColumns: ["due_at", "awaits_funds"],
  }),
};

export interface WorkFailure extends WorkKey {
  /** The effect that failed; empty where the state could not be read. */
  readonly effect: string;
  /** Attempts that failed one after the other. */
  readonly attempts: number;
  readonly reason: string;
  /** Times are ISO 8601 UTC. */
  readonly failing_since: string;
  readonly failed_at: string;
  readonly retry_at: string;
}

/**
 * Tables as queries see them. `work_failures` is not part of the read models, because no event records a failed
 * attempt and a rebuild must keep these rows.
 */
export type WorkSchema = Schema<typeof workTables> & Readonly<Record<"work_failures", WorkFailure>>;

type Writer = RowWriter<typeof workTables>;

/** A key of a kind of work: most often the name of a stream without its category. */
export interface WorkKey {
  readonly kind: string;
  readonly key: string;
}

/** Adds a key. @param at when it is due, ISO 8601 UTC: most often when the event was stored; null for not yet */
export function beginWork(
  db: Writer,
  work: WorkKey & { readonly accountId: number | null },
  at: string | null,
): void {
  const { kind, key, accountId } = work;
  db.upsert("work", { kind, key, account_id: accountId, due_at: at, awaits_funds: false });
}

/** Makes a key due at once, where there is one. @param at when the event was stored, ISO 8601 UTC */
export function wakeWork(db: Writer, { kind, key }: WorkKey, at: string): void {
  db.update("work", { kind, key }, { due_at: at });
}

export function endWork(db: Writer, { kind, key }: WorkKey): void {
  db.delete("work", { kind, key });
}
