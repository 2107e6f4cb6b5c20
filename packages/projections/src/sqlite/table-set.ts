import { sql, type CreateTableBuilder, type Kysely } from "kysely";

import { positionColumn, type TableDefinition, type TableDefinitions } from "../tables.ts";
import type { SqliteConnection } from "./sqlite-connection.ts";
import { SqliteRowWriter } from "./sqlite-row-writer.adapter.ts";
import { TableStatements } from "./table-statements.ts";

/** Ends the names of tables that are being built; whatever has it at start-up is rubbish of a crash. */
export const besideSuffix = "__rebuild";

/** A projection's tables: their own (`suffix` empty), or a set that is built beside them. */
export class TableSet {
  readonly definitions: TableDefinitions;
  readonly #connection: SqliteConnection;
  readonly #compiler: Kysely<unknown>;
  readonly #suffix: string;

  constructor(
    connection: SqliteConnection,
    compiler: Kysely<unknown>,
    definitions: TableDefinitions,
    suffix = "",
  ) {
    this.definitions = definitions;
    this.#connection = connection;
    this.#compiler = compiler;
    this.#suffix = suffix;
  }

  /** The name that a table of the definition has in the database. */
  physicalName(table: string): string {
    return table + this.#suffix;
  }

  /** Makes the tables, without secondary indexes. */
  create(): void {
    for (const [name, definition] of Object.entries(this.definitions)) {
      this.#connection.execute(createTableSql(this.#compiler, this.physicalName(name), definition));
    }
  }

  /**
   * The statements that make the secondary indexes, to be run one by one. SQLite cannot rename an index, so its name
   * carries the generation of its table instead of the table's passing name.
   */
  indexStatements(generation: number): readonly string[] {
    return Object.entries(this.definitions).flatMap(([name, { indexes }]) =>
      indexes.map(({ columns, unique = false }) => {
        const index = this.#compiler.schema
          .createIndex(`${name}__${columns.join("_")}__g${String(generation)}`)
          .on(this.physicalName(name))
          .columns([...columns]);
        return (unique ? index.unique() : index).compile().sql;
      }),
    );
  }

  drop(): void {
    dropTables(
      this.#connection,
      this.#compiler,
      Object.keys(this.definitions).map((name) => this.physicalName(name)),
    );
  }

  /** Gives the tables their own names. The tables that had them must be gone. */
  rename(): void {
    for (const name of Object.keys(this.definitions)) {
      this.#connection.execute(
        this.#compiler.schema.alterTable(this.physicalName(name)).renameTo(name).compile().sql,
      );
    }
    this.#connection.forgetStatements();
  }

  /** Counts the rows of all tables: it reads them through, which takes milliseconds for a million. */
  countRows(): number {
    let rows = 0;
    for (const name of Object.keys(this.definitions)) {
      const counted = sql<{ n: number }>`select count(*) as n from ${sql.table(this.physicalName(name))}`;
      rows += this.#connection.rows(counted.compile(this.#compiler))[0]?.n ?? 0;
    }
    return rows;
  }

  /** A writer with statements of its own; the tables must exist. */
  writer(): SqliteRowWriter {
    const statements = Object.entries(this.definitions).map(([name, definition]) => {
      const table = new TableStatements(
        this.#connection,
        this.#compiler,
        this.physicalName(name),
        definition,
      );
      return [name, table] as const;
    });
    return new SqliteRowWriter(new Map(statements));
  }
}

/** Drops tables that may be there. */
export function dropTables(
  connection: SqliteConnection,
  compiler: Kysely<unknown>,
  names: Iterable<string>,
): void {
  for (const name of names) connection.execute(compiler.schema.dropTable(name).ifExists().compile().sql);
  connection.forgetStatements();
}

/** Drops the tables that a crash in the middle of a rebuild left behind. */
export function dropRubbish(connection: SqliteConnection, compiler: Kysely<unknown>): readonly string[] {
  const query = sql<{ name: string }>`select name from sqlite_master where type = 'table'`.compile(compiler);
  const names = connection.rows(query).map(({ name }) => name);
  const rubbish = names.filter((name) => name.endsWith(besideSuffix));
  dropTables(connection, compiler, rubbish);
  return rubbish;
}

function createTableSql(compiler: Kysely<unknown>, name: string, definition: TableDefinition): string {
  let create: CreateTableBuilder<string, string> = compiler.schema.createTable(name);
  const [onlyKey] = definition.primaryKey.length === 1 ? definition.primaryKey : [];
  for (const [column, kind] of Object.entries(definition.columns)) {
    create = create.addColumn(column, kind.startsWith("text") ? "text" : "integer", (built) => {
      const constrained = kind.endsWith("?") ? built : built.notNull();
      // Written at the column, an integer key becomes SQLite's own row id: one tree instead of two.
      return column === onlyKey ? constrained.primaryKey() : constrained;
    });
  }
  create = create.addColumn(positionColumn, "integer", (column) => column.notNull());
  if (onlyKey === undefined)
    create = create.addPrimaryKeyConstraint(`${name}_key`, [...definition.primaryKey]);
  const isRowId = onlyKey !== undefined && definition.columns[onlyKey] === "integer";
  return create.modifyEnd(isRowId ? sql`strict` : sql`strict, without rowid`).compile().sql;
}
