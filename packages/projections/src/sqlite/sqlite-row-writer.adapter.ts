import type { SQLInputValue } from "node:sqlite";

import type { Position } from "@hostledger/event-store";

import { ReadModelError, RowConflictError } from "../errors.ts";
import { beforeFirst } from "../projector/position.ts";
import type { BatchWriter } from "../storage/engine.port.ts";
import { toSqlValue } from "./sqlite-connection.ts";
import type { TableStatements } from "./table-statements.ts";

type Values = Readonly<Record<string, unknown>>;

/** Writes rows at once, inside the transaction of the batch, through prepared statements. */
export class SqliteRowWriter implements BatchWriter {
  readonly #tables: ReadonlyMap<string, TableStatements>;
  #position: Position = beforeFirst;

  constructor(tables: ReadonlyMap<string, TableStatements>) {
    this.#tables = tables;
  }

  /** Names the event that the following rows reflect. */
  reflect(position: Position): void {
    this.#position = position;
  }

  /** Nothing is kept. */
  flush(): Promise<void> {
    return Promise.resolve();
  }

  discard(): void {
    // The rolled-back transaction has taken everything with it.
  }

  insert(table: string, row: Values): void {
    const statements = this.#table(table);
    const { changes } = statements.insert.run(...valuesOf(row, statements.columns), this.#position);
    if (changes === 0) this.#refuseConflict(table, statements, row);
  }

  upsert(table: string, row: Values): void {
    const statements = this.#table(table);
    statements.upsert.run(...valuesOf(row, statements.columns), this.#position);
  }

  update(table: string, key: Values, changes: Values): void {
    const statements = this.#table(table);
    const changed = Object.keys(changes);
    statements
      .update(changed)
      .run(
        ...valuesOf(changes, changed),
        this.#position,
        ...valuesOf(key, statements.primaryKey),
        this.#position,
      );
  }

  delete(table: string, key: Values): void {
    const statements = this.#table(table);
    statements.delete.run(...valuesOf(key, statements.primaryKey), this.#position);
  }

  /** A row of this event or of a later one means that the event is handled again: that is fine. */
  #refuseConflict(table: string, statements: TableStatements, row: Values): void {
    const key = valuesOf(row, statements.primaryKey);
    if (statements.reflects.get(...key, this.#position) !== undefined) return;
    throw new RowConflictError(table, key);
  }

  #table(name: string): TableStatements {
    const statements = this.#tables.get(name);
    if (statements === undefined) throw new ReadModelError(`the projection has no table ${name}`);
    return statements;
  }
}

function valuesOf(row: Values, columns: readonly string[]): SQLInputValue[] {
  return columns.map((column) => toSqlValue(row[column]));
}
