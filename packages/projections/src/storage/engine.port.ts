import type { Position } from "@hostledger/event-store";
import type { CompiledQuery } from "kysely";

import type { RowWriter } from "../row-writer.port.ts";
import type { TableDefinition, TableDefinitions } from "../tables.ts";

/** The one connection of a database that writes. */
export interface WriteConnection {
  rows<Row>(query: CompiledQuery<Row>): Promise<Row[]>;
  /** Runs a statement that answers no rows. */
  run(query: CompiledQuery): Promise<void>;
  /** Runs SQL without parameters, such as DDL. */
  execute(sql: string): Promise<void>;
  close(): Promise<void>;
}

/** Takes the rows of several events; an engine may keep them until `flush`. */
export interface BatchWriter extends RowWriter<TableDefinitions> {
  /** Names the event that the following rows reflect. */
  reflect(position: Position): void;
  /** Writes what was kept. @throws RowConflictError, or what the database throws. */
  flush(): Promise<void>;
  /** Forgets what was kept: its transaction was rolled back. */
  discard(): void;
}

/** How an engine does what SQL leaves open. */
export interface Dialect {
  /** A statement that makes a table, without secondary indexes. */
  createTable(name: string, definition: TableDefinition): string;
  /** The name of a secondary index; no two generations of a table may share one. */
  indexName(table: string, columns: readonly string[], generation: number): string;
  /** All tables of the database. */
  tableNames(): Promise<readonly string[]>;
  /** Makes the secondary indexes of tables that hold the rows of so many events. @throws ReadModelError the database failed. */
  createIndexes(statements: readonly string[], events: number): Promise<void>;
  writer(definitions: TableDefinitions, physicalName: (table: string) => string): BatchWriter;
}
