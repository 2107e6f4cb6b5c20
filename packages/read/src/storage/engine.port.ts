import type { Position } from "@hostledger/store";
import type { CompiledQuery } from "kysely";

import type { RowWriter } from "../row-writer.port.ts";
import type { TableDefinition, TableDefinitions } from "../tables.ts";

export interface WriteConnection {
  rows<Row>(query: CompiledQuery<Row>): Promise<Row[]>;
  /** Runs a statement without results. */
  run(query: CompiledQuery): Promise<void>;
  /** Runs SQL without parameters, such as DDL. */
  execute(sql: string): Promise<void>;
  close(): Promise<void>;
}

/** Writes the rows of several events; an engine may buffer them until `flush`. */
export interface BatchWriter extends RowWriter<TableDefinitions> {
  /** Sets the event that the following rows reflect. */
  reflect(position: Position): void;
  /** Writes buffered rows. @throws RowConflictError, or the database's error. */
  flush(): Promise<void>;
  /** Drops buffered rows after a rollback. */
  discard(): void;
}

/** The engine's own SQL. */
export interface Dialect {
  /** Returns a statement that creates a table without secondary indexes. */
  createTable(name: string, definition: TableDefinition): string;
  /** Returns the name of a secondary index, unique for each generation of a table. */
  indexName(table: string, columns: readonly string[], generation: number): string;
  tableNames(): Promise<readonly string[]>;
  /**
   * Creates secondary indexes.
   * @param events approximate size of the tables, as a number of events.
   * @throws ReadModelError if the database failed.
   */
  createIndexes(statements: readonly string[], events: number): Promise<void>;
  writer(definitions: TableDefinitions, physicalName: (table: string) => string): BatchWriter;
}
