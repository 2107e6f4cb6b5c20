import type { SQLInputValue } from "node:sqlite";

import { RowConflictError } from "../errors.ts";
import { SqliteConnection } from "./sqlite-connection.ts";

export interface RowStatement {
  readonly sql: string;
  readonly parameters: number;
  /** For a statement that must add a row: recognises a row that this event or a later one already added. */
  readonly adds?: {
    readonly table: string;
    /** Query that returns a row if the table's row reflects this event or a later one. Parameters: key, position. */
    readonly reflects: string;
    /** Indexes of the key's columns among the parameters; the last parameter is the position. */
    readonly key: readonly number[];
  };
}

/** Changes of rows in order, in flat arrays, because the cost of cloning depends on the number of objects. */
export interface RowChanges {
  readonly statements: readonly RowStatement[];
  /** Index of each change's statement. */
  readonly order: readonly number[];
  readonly parameters: readonly SQLInputValue[];
}

export type WriteRequest =
  | { readonly kind: "begin" | "commit" }
  | { readonly kind: "rollback" }
  | { readonly kind: "execute"; readonly sql: string }
  | {
      readonly kind: "rows" | "run";
      readonly sql: string;
      readonly parameters: readonly SQLInputValue[];
    }
  | { readonly kind: "change"; readonly changes: RowChanges };

/** Carries out requests in order on a writing connection. */
export interface Writing {
  /**
   * Carries out a request.
   * @returns the requested rows.
   * @throws the database's error, RowConflictError, or WriteThreadEndedError.
   */
  ask(request: WriteRequest): Promise<readonly unknown[]>;
  close(): Promise<void>;
}

/** Carries out requests in order. As in PostgreSQL, a failure aborts the transaction, so nothing of it is committed. */
export class WriteSession {
  readonly #connection: SqliteConnection;
  /** The error that aborted the transaction. */
  #failure: { readonly cause: unknown } | undefined;

  constructor(connection: SqliteConnection) {
    this.#connection = connection;
  }

  /**
   * Carries out a request.
   * @returns the rows for `rows`; otherwise an empty list.
   * @throws SQLite's error, or RowConflictError.
   */
  carryOut(request: WriteRequest): readonly unknown[] {
    if (request.kind === "rollback") {
      this.#failure = undefined;
      // After some failures (disk full, I/O error), SQLite has already rolled back.
      if (this.#connection.isInTransaction) this.#connection.execute("rollback");
      return [];
    }
    if (this.#failure !== undefined) throw this.#failure.cause;
    const wasInTransaction = this.#connection.isInTransaction;
    try {
      return this.#carryOut(request);
    } catch (error) {
      if (wasInTransaction || request.kind === "begin") this.#failure = { cause: error };
      throw error;
    }
  }

  close(): void {
    this.#connection.close();
  }

  #carryOut(request: Exclude<WriteRequest, { readonly kind: "rollback" }>): readonly unknown[] {
    switch (request.kind) {
      case "begin":
        this.#connection.execute("begin immediate");
        return [];
      case "commit":
        this.#connection.execute("commit");
        return [];
      case "execute":
        this.#connection.execute(request.sql);
        // Cached statements may name dropped or renamed tables.
        this.#connection.forgetStatements();
        return [];
      case "rows":
        return this.#connection.prepare(request.sql).statement.all(...request.parameters);
      case "run":
        this.#connection.prepare(request.sql).statement.run(...request.parameters);
        return [];
      case "change":
        this.#change(request.changes);
        return [];
    }
  }

  #change({ statements, order, parameters }: RowChanges): void {
    const prepared = statements.map((row) => ({ ...row, ...this.#connection.prepare(row.sql) }));
    let from = 0;
    for (const index of order) {
      const row = prepared[index];
      if (row === undefined) throw new Error("a change names no statement");
      const values = parameters.slice(from, from + row.parameters);
      from += row.parameters;
      const { changes } = row.statement.run(...values);
      if (changes === 0 && row.adds !== undefined) this.#refuseConflict(row.adds, values);
    }
  }

  /** Refuses a row from an earlier event. A row from this event or a later one means that the event is repeated. */
  #refuseConflict(
    { table, reflects, key }: NonNullable<RowStatement["adds"]>,
    values: readonly SQLInputValue[],
  ): void {
    const keyValues = key.map((index) => values[index] ?? null);
    const position = values.at(-1) ?? null;
    if (this.#connection.prepare(reflects).statement.get(...keyValues, position) !== undefined) return;
    throw new RowConflictError(table, keyValues);
  }
}

/**
 * Opens or creates a file for writing, with WAL and `synchronous=NORMAL`. After a power cut the file is consistent but may
 * lack the latest rows, which the projector adds from the events.
 * @throws SQLite's error.
 */
export function openForWriting(path: string): SqliteConnection {
  const connection = new SqliteConnection(path);
  try {
    connection.execute("pragma journal_mode = wal");
    connection.execute("pragma synchronous = normal");
    // Overwritten and dropped rows are zeroed, because they may contain names.
    connection.execute("pragma secure_delete = on");
    connection.execute("pragma temp_store = memory");
    // Without views and triggers, renaming a table need not check the whole schema.
    connection.execute("pragma legacy_alter_table = on");
    // 16 MiB, enough for the pages that live events change; a larger cache would use more memory in a rebuild.
    connection.execute("pragma cache_size = -16384");
    return connection;
  } catch (error) {
    connection.close();
    throw error;
  }
}
