import type { NewRow, RowChanges, RowKey, TableDefinitions } from "./tables.ts";

/**
 * The operations of a handler on its tables. A handler cannot read: rows follow from the event alone, so an engine may
 * write a whole batch together.
 *
 * The row's `log_position` guards every operation: an event older than the row leaves it unchanged. A repeated event or a
 * repeated log therefore changes nothing.
 */
export interface RowWriter<Tables extends TableDefinitions> {
  /** Adds a row. @throws RowConflictError an earlier event made a row with this key, which is a bug. */
  insert<Name extends keyof Tables & string>(table: Name, row: NewRow<Tables[Name]>): void;

  /** Adds a row or replaces the row with this key. */
  upsert<Name extends keyof Tables & string>(table: Name, row: NewRow<Tables[Name]>): void;

  /** Changes some columns of a row; a missing row is ignored. */
  update<Name extends keyof Tables & string>(
    table: Name,
    key: RowKey<Tables[Name]>,
    changes: RowChanges<Tables[Name]>,
  ): void;

  /** Removes a row; a missing row is ignored. */
  delete<Name extends keyof Tables & string>(table: Name, key: RowKey<Tables[Name]>): void;
}
