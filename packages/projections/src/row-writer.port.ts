import type { NewRow, RowChanges, RowKey, TableDefinitions } from "./tables.ts";

/**
 * What a handler may do to its tables. It cannot read: a row follows from the event alone, so that an engine may
 * collect the rows of a whole batch and write them together.
 *
 * Every operation is guarded by the row's `log_position`: an event older than the one the row reflects leaves it as
 * it is. Handling an event again, or a whole log again, therefore changes nothing.
 */
export interface RowWriter<Tables extends TableDefinitions> {
  /**
   * Adds a row.
   * @throws RowConflictError an earlier event made a row of the same key: two facts claim it, which is a bug.
   */
  insert<Name extends keyof Tables & string>(table: Name, row: NewRow<Tables[Name]>): void;

  /** Adds a row, or replaces the one of the same key. */
  upsert<Name extends keyof Tables & string>(table: Name, row: NewRow<Tables[Name]>): void;

  /** Changes some columns of one row. Without such a row nothing happens. */
  update<Name extends keyof Tables & string>(
    table: Name,
    key: RowKey<Tables[Name]>,
    changes: RowChanges<Tables[Name]>,
  ): void;

  /** Removes one row. Without such a row nothing happens. */
  delete<Name extends keyof Tables & string>(table: Name, key: RowKey<Tables[Name]>): void;
}
