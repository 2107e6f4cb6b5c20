import type { Position } from "@hostledger/event-store";

/** Values by column. */
export type Values = Readonly<Record<string, unknown>>;

/** What is to become of one row. */
export interface RowChange {
  readonly kind: "insert" | "upsert" | "update" | "delete" | "passing";
  /** The primary key's values, in the order of the key. */
  readonly key: readonly unknown[];
  /** The whole row, or the columns that change. */
  readonly values: Values;
  /** The event that the row reflects then. */
  readonly position: Position;
  /** The event with which a row came that has gone since: an earlier event must not have made it. */
  readonly cameAt?: Position;
}

/**
 * Folds what happens to one row within a batch into one change: assignments follow each other, and the guard by position
 * holds for the last of them.
 * @returns undefined when the two cannot be one; the first must then be written before the second.
 */
export function folded(earlier: RowChange, later: RowChange): RowChange | undefined {
  if (later.kind === "insert") return undefined;
  if (earlier.kind === "passing") return later.kind === "upsert" ? undefined : earlier;
  if (later.kind === "upsert") return earlier.kind === "insert" ? { ...later, kind: "insert" } : later;
  if (later.kind === "delete")
    return earlier.kind === "insert" ? { ...later, kind: "passing", cameAt: earlier.position } : later;
  // An update of a row that is gone changes nothing.
  if (earlier.kind === "delete") return earlier;
  return { ...earlier, values: { ...earlier.values, ...later.values }, position: later.position };
}

/** The changes of one table that can be written together: at most one for each row. */
export class RowBatch {
  readonly #changes = new Map<string, RowChange>();

  get size(): number {
    return this.#changes.size;
  }

  /** @returns false when what is kept must be written first. */
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

  /** All of one kind. */
  of(kind: RowChange["kind"]): readonly RowChange[] {
    return this.all().filter((change) => change.kind === kind);
  }

  /** One for each row. */
  all(): readonly RowChange[] {
    return [...this.#changes.values()];
  }

  clear(): void {
    this.#changes.clear();
  }
}
