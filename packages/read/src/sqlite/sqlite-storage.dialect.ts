import { sql, type CreateTableBuilder, type Kysely } from "kysely";

import type { Dialect, WriteConnection } from "../storage/engine.port.ts";
import { positionColumn, type TableDefinition } from "../tables.ts";
import { allTables } from "./node-sqlite.dialect.ts";
import { SqliteRowWriter } from "./sqlite-row-writer.adapter.ts";
import { TableStatements } from "./table-statements.ts";
import type { Writing } from "./write-session.ts";
import { executeBeside } from "./write-thread.ts";

/** Number of events from which indexes are built on a separate thread; below, starting the thread would take longer. */
const besideFromEvents = 50_000;

export interface SqliteDialectParts {
  readonly place: string;
  readonly connection: WriteConnection;
  readonly writing: Pick<Writing, "ask">;
  readonly compiler: Kysely<unknown>;
}

export function sqliteDialect({ place, connection, writing, compiler }: SqliteDialectParts): Dialect {
  return {
    createTable: (name, definition) => createTableSql(compiler, name, definition),
    indexName: (table, columns, generation) => `${table}__${columns.join("_")}__g${String(generation)}`,
    async tableNames() {
      return (await connection.rows(allTables.compile(compiler))).map(({ name }) => name);
    },
    async createIndexes(statements, events) {
      if (events >= besideFromEvents) await executeBeside(place, statements);
      else for (const statement of statements) await connection.execute(statement);
    },
    writer(definitions, physicalName) {
      const statements = Object.entries(definitions).map(([name, definition]) => {
        const physical = { name: physicalName(name), definition };
        return [name, new TableStatements(compiler, name, physical)] as const;
      });
      return new SqliteRowWriter(writing, new Map(statements));
    },
  };
}

function createTableSql(compiler: Kysely<unknown>, name: string, definition: TableDefinition): string {
  let create: CreateTableBuilder<string, string> = compiler.schema.createTable(name);
  const [onlyKey] = definition.primaryKey.length === 1 ? definition.primaryKey : [];
  for (const [column, kind] of Object.entries(definition.columns)) {
    create = create.addColumn(column, kind.startsWith("text") ? "text" : "integer", (built) => {
      const constrained = kind.endsWith("?") ? built : built.notNull();
      // An integer key declared at its column becomes SQLite's row id, which saves an index.
      return column === onlyKey ? constrained.primaryKey() : constrained;
    });
  }
  create = create.addColumn(positionColumn, "integer", (column) => column.notNull());
  if (onlyKey === undefined)
    create = create.addPrimaryKeyConstraint(`${name}_key`, [...definition.primaryKey]);
  const isRowId = onlyKey !== undefined && definition.columns[onlyKey] === "integer";
  return create.modifyEnd(isRowId ? sql`strict` : sql`strict, without rowid`).compile().sql;
}
