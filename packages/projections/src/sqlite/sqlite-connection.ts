import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite";

import { sqliteCodeOf } from "@hostledger/runtime/sqlite-code";
import type { CompiledQuery } from "kysely";

import { ReadModelError } from "../errors.ts";

/** SQL texts kept prepared. Lists of varying length (`in (?, ?, …)`) would otherwise grow the cache without end. */
const statementLimit = 500;

/** How long to wait for a lock that another process holds, in milliseconds. */
const busyTimeoutMs = 5_000;

/** A prepared statement that knows whether it answers rows. */
export interface CachedStatement {
  readonly statement: StatementSync;
  readonly returnsRows: boolean;
}

/** What a connection may be told. */
export interface SqliteConnectionOptions {
  readonly readOnly?: boolean;
  /** What to throw where a statement cannot be prepared. Default: what SQLite says. */
  readonly unprepared?: (error: unknown) => unknown;
}

/** One connection to a SQLite file with its prepared statements. Its statements are synchronous. */
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

  /** Runs SQL without parameters that answers nothing, such as PRAGMA and DDL. */
  execute(sql: string): void {
    this.#database.exec(sql);
  }

  /** The prepared statement of a text, prepared at its first use. */
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

  /**
   * The rows of a query. This is the codec of the read side: the tables are STRICT and made from the definitions
   * that the row types come from, so what SQLite answers has that type.
   */
  rows<Row>(query: CompiledQuery<Row>): Row[] {
    return this.prepare(query.sql).statement.all(...query.parameters.map(toSqlValue)) as Row[];
  }

  /** The first row of a query, if it has one: a third cheaper than a list of one. */
  firstRow<Row>(query: CompiledQuery<Row>): Row | undefined {
    return this.prepare(query.sql).statement.get(...query.parameters.map(toSqlValue)) as Row | undefined;
  }

  /** Tables were dropped or renamed: statements are prepared again at their next use. */
  forgetStatements(): void {
    this.#statements.clear();
  }

  close(): void {
    this.#statements.clear();
    if (this.#database.isOpen) this.#database.close();
  }
}

/** A JavaScript value as SQLite takes it; booleans are stored as 0 and 1. */
export function toSqlValue(value: unknown): SQLInputValue {
  if (typeof value === "boolean") return value ? 1 : 0;
  if (value === null || typeof value === "string" || typeof value === "number" || typeof value === "bigint") {
    return value;
  }
  throw new ReadModelError(`a ${typeof value} cannot be a column's value`);
}

/** Result codes of SQLite that blame the machine or the file, not the statement. https://sqlite.org/rescode.html */
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

/** True when an error comes from the database itself (disk full, I/O), so that no event is to blame for it. */
export function isDatabaseFailure(error: unknown): boolean {
  const code = sqliteCodeOf(error);
  return code !== undefined && databaseFailureCodes.has(code);
}
