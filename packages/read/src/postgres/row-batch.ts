import type { Position } from "@hostledger/store";

export type Values = Readonly<Record<string, unknown>>;

/** A change of a row. `passing` is a row that the batch inserts and deletes. */
export interface RowChange {
  readonly kind: "insert" | "upsert" | "update" | "delete" | "passing";
  /** Values of the primary key, in its order. */
  readonly key: readonly unknown[];
  /** The whole row, or the changed columns. */
  readonly values: Values;
  /** Position of the event that the row then reflects. */
  readonly position: Position;
  /** Position of the event that inserted a `passing` row; no earlier event may have inserted it. */
  readonly cameAt?: Position;
}

/** Merges two changes of a row. @returns undefined if they cannot be merged: write the earlier one first. */
export function folded(earlier: RowChange, later: RowChange): RowChange | undefined {
  if (later.kind === "insert") return undefined;
  if (earlier.kind === "passing") return later.kind === "upsert" ? undefined : earlier;
  if (later.kind === "upsert") return earlier.kind === "insert" ? { ...later, kind: "insert" } : later;
  if (later.kind === "delete")
    return earlier.kind === "insert" ? { ...later, kind: "passing", cameAt: earlier.position } : later;
  // Updating a deleted row changes nothing.
  if (earlier.kind === "delete") return earlier;
  return { ...earlier, values: { ...earlier.values, ...later.values }, position: later.position };
}

/** Changes of a table that can be written together: at most one for each row. */
export class RowBatch {
  readonly #changes = new Map<string, RowChange>();

  get size(): number {
    return this.#changes.size;
  }

  /** Adds a change. @returns false if the batch must be written first. */
  add(change: RowChange): boolean {
    const name = JSON.stringify(change.key, (_, value: unknown) =>
      typeof value === "bigint" ? `${String(value)}n` : value,
    );
    const earlier = this.#changes.get(name);
    const one = earlier === undefined ? change : folded(earlier, change);
    if (one === undefined) return false;
    this.#changes.set(name, one);
    return true;
  }

  of(kind: RowChange["kind"]): readonly RowChange[] {
    return this.all().filter((change) => change.kind === kind);
  }

  all(): readonly RowChange[] {
    return [...this.#changes.values()];
  }

  clear(): void {
    this.#changes.clear();
  }
}
