import type { SQLInputValue } from "node:sqlite";

import { RowConflictError } from "../errors.ts";
import { SqliteConnection } from "./sqlite-connection.ts";

/** A statement that changes rows. */
export interface RowStatement {
  readonly sql: string;
  /** How many parameters it has. */
  readonly parameters: number;
  /** Of one that must add a row: how to tell that the row is there already, and rightly. */
  readonly adds?: {
    readonly table: string;
    /** Answers a row where the table's row reflects this event or a later one; its parameters are the key and the position. */
    readonly reflects: string;
    /** Where the key's columns are among the parameters, the last of which is the position. */
    readonly key: readonly number[];
  };
}

/** Changes of rows in their order, flat: cloning costs by the object. */
export interface RowChanges {
  readonly statements: readonly RowStatement[];
  /** For each change, which of the statements it is. */
  readonly order: readonly number[];
  /** Those of all changes, one after the other. */
  readonly parameters: readonly SQLInputValue[];
}

/** What a file's writing connection is asked. */
export type WriteRequest =
  | { readonly kind: "begin" | "commit" }
  | { readonly kind: "rollback" }
  /** DDL. */
  | { readonly kind: "execute"; readonly sql: string }
  | {
      readonly kind: "rows" | "run";
      readonly sql: string;
      readonly parameters: readonly SQLInputValue[];
    }
  | { readonly kind: "change"; readonly changes: RowChanges };

/** Has requests carried out in their order, by a connection that writes. */
export interface Writing {
  /** @returns the rows that were asked for. @throws what the database says, RowConflictError, or WriteThreadEndedError. */
  ask(request: WriteRequest): Promise<readonly unknown[]>;
  close(): Promise<void>;
}

/**
 * A file's writing connection, which carries out one request after the other. As in PostgreSQL, a request that fails within a transaction
 * takes it along: whatever follows fails as it did until it is rolled back, so that no half of it is committed, and nothing outside of it.
 */
export class WriteSession {
  readonly #connection: SqliteConnection;
  /** What the transaction failed of. */
  #failure: { readonly cause: unknown } | undefined;

  constructor(connection: SqliteConnection) {
    this.#connection = connection;
  }

  /** @returns the rows of `rows`; else nothing. @throws what SQLite says, or RowConflictError. */
  carryOut(request: WriteRequest): readonly unknown[] {
    if (request.kind === "rollback") {
      this.#failure = undefined;
      // SQLite has rolled back by itself after some failures (disk full, I/O error).
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
        // What was prepared for tables that are gone, or have another name, is of no use.
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

  /** A row of this event or of a later one means that the event is handled again: that is fine. */
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
 * Opens or makes a file for writing. WAL, `synchronous=NORMAL`: after a power cut it is consistent but may be a little behind,
 * which the projector makes good from the log. @throws what SQLite says.
 */
export function openForWriting(path: string): SqliteConnection {
  const connection = new SqliteConnection(path);
  try {
    connection.execute("pragma journal_mode = wal");
    connection.execute("pragma synchronous = normal");
    // What is overwritten or dropped is zeroed: a row may have held a name.
    connection.execute("pragma secure_delete = on");
    connection.execute("pragma temp_store = memory");
    // Without views and triggers a table's new name concerns nothing else, and SQLite need not look through the whole schema.
    connection.execute("pragma legacy_alter_table = on");
    // KiB. Enough for the pages that live events touch; a larger one would make a rebuild's memory grow with the log.
    connection.execute("pragma cache_size = -16384");
    return connection;
  } catch (error) {
    connection.close();
    throw error;
  }
}
