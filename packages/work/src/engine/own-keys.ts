import { nameOf } from "./work-queue.ts";
import type { DueWork } from "./work-store.ts";
import type { WorkKey } from "./work.table.ts";

/** Keys that no event begins. A rebuild would remove them from the table, and each start makes them due, so memory is enough. */
export class OwnKeys {
  readonly #rows = new Map<string, DueWork>();

  /** Adds a key, or makes it due at another instant (ISO 8601 UTC). */
  begin(work: WorkKey, at: string): void {
    this.#rows.set(nameOf(work), { ...work, account_id: null, due_at: at, awaits_funds: 0, log_position: 0 });
  }

  due(now: string): readonly DueWork[] {
    return [...this.#rows.values()].filter(({ due_at: dueAt }) => dueAt !== null && dueAt <= now);
  }

  /** Makes one key of a kind due, or all of them. */
  makeDue({ kind, key }: Pick<WorkKey, "kind"> & Partial<WorkKey>, at: string): void {
    for (const row of this.#rows.values())
      if (row.kind === kind && (key ?? row.key) === row.key) this.begin(row, at);
  }

  /** Records when a key is due again, unless the key was made due after it was read. @returns false for a key of the table */
  rest(row: DueWork, until: string | null): boolean {
    const own = this.#rows.get(nameOf(row));
    if (own?.due_at === row.due_at) this.#rows.set(nameOf(row), { ...own, due_at: until });
    return own !== undefined;
  }
}
