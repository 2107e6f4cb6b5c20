import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite";

import { sqliteCodeOf } from "@hostledger/runtime/sqlite-code";
import type { CompiledQuery } from "kysely";

import { ReadModelError } from "../errors.ts";

/** Maximum cached statements, because lists of varying length (`in (?, ?, …)`) would grow the cache without end. */
const statementLimit = 500;

/** Milliseconds to wait for another process's lock. */
const busyTimeoutMs = 5_000;

export interface CachedStatement {
  readonly statement: StatementSync;
  readonly returnsRows: boolean;
}

export interface SqliteConnectionOptions {
  readonly readOnly?: boolean;
  /** Converts the error of a statement that cannot be prepared; by default SQLite's error is thrown. */
  readonly unprepared?: (error: unknown) => unknown;
}

/** A connection to a SQLite file with its prepared statements, which run synchronously. */
export class SqliteConnection {
  readonly #database: DatabaseSync;
  readonly #statements = new Map<string, CachedStatement>();
  readonly #unprepared: (error: unknown) => unknown;

  constructor(
    path: string,
    { readOnly = false, unprepared = (error) => error }: SqliteConnectionOptions = {},
  ) {
    this.#database = new DatabaseSync(path, { readOnly, timeout: busyTimeoutMs });
    this.#unprepared = unprepared;
  }

  get isInTransaction(): boolean {
    return this.#database.isTransaction;
  }

  /** Runs SQL without parameters and results, such as PRAGMA and DDL. */
  execute(sql: string): void {
    this.#database.exec(sql);
  }

  prepare(sql: string): CachedStatement {
    const known = this.#statements.get(sql);
    if (known !== undefined) return known;
    if (this.#statements.size >= statementLimit) this.#statements.clear();
    const statement = this.#prepared(sql);
    const prepared = { statement, returnsRows: statement.columns().length > 0 };
    this.#statements.set(sql, prepared);
    return prepared;
  }

  #prepared(sql: string): StatementSync {
    try {
      return this.#database.prepare(sql);
    } catch (error) {
      throw this.#unprepared(error);
    }
  }

  /** Returns the rows of a query. The cast is safe, because the STRICT tables have the row types' definitions. */
  rows<Row>(query: CompiledQuery<Row>): Row[] {
    return this.prepare(query.sql).statement.all(...query.parameters.map(toSqlValue)) as Row[];
  }

  /** Returns the first row of a query, or undefined; a third cheaper than a list with one row. */
  firstRow<Row>(query: CompiledQuery<Row>): Row | undefined {
    return this.prepare(query.sql).statement.get(...query.parameters.map(toSqlValue)) as Row | undefined;
  }

  /** Clears the statement cache after tables were dropped or renamed. */
  forgetStatements(): void {
    this.#statements.clear();
  }

  close(): void {
    this.#statements.clear();
    if (this.#database.isOpen) this.#database.close();
  }
}

/** Converts a JavaScript value for SQLite; booleans become 0 and 1. */
export function toSqlValue(value: unknown): SQLInputValue {
  if (typeof value === "boolean") return value ? 1 : 0;
  if (value === null || typeof value === "string" || typeof value === "number" || typeof value === "bigint") {
    return value;
  }
  throw new ReadModelError(`a ${typeof value} cannot be a column's value`);
}

/** Result codes of SQLite for faults of the machine or the file, not the statement. https://sqlite.org/rescode.html */
const databaseFailureCodes = new Set([
  5, // busy
  6, // locked
  7, // out of memory
  8, // read-only
  10, // I/O error
  11, // corrupt
  13, // disk full
  14, // cannot open
  26, // not a database
]);

/** Returns true if an error comes from the database (disk full, I/O) and not from an event. */
export function isDatabaseFailure(error: unknown): boolean {
  const code = sqliteCodeOf(error);
  return code !== undefined && databaseFailureCodes.has(code);
}
