import { sql, type Kysely } from "kysely";

import type { TableDefinitions } from "../tables.ts";
import type { BatchWriter, Dialect, WriteConnection } from "./engine.port.ts";

/** Ending of the names of tables during a rebuild; at a start, such tables are left over from a crash. */
export const besideSuffix = "__rebuild";

export interface TableSetParts {
  readonly connection: WriteConnection;
  readonly compiler: Kysely<unknown>;
  readonly dialect: Dialect;
}

/** A projection's own tables (empty `suffix`), or a second set of them. */
export class TableSet {
  readonly definitions: TableDefinitions;
  readonly #parts: TableSetParts;
  readonly #suffix: string;

  constructor(parts: TableSetParts, definitions: TableDefinitions, suffix = "") {
    this.definitions = definitions;
    this.#parts = parts;
    this.#suffix = suffix;
  }

  physicalName(table: string): string {
    return table + this.#suffix;
  }

  /** Creates the tables without secondary indexes. */
  async create(): Promise<void> {
    const { connection, dialect } = this.#parts;
    for (const [name, definition] of Object.entries(this.definitions))
      await connection.execute(dialect.createTable(this.physicalName(name), definition));
  }

  /** Returns the statements of secondary indexes. Their names contain the generation, because they survive a renaming. */
  indexStatements(generation: number): readonly string[] {
    const { compiler, dialect } = this.#parts;
    return Object.entries(this.definitions).flatMap(([name, { indexes }]) =>
      indexes.map(({ columns, unique = false }) => {
        const index = compiler.schema
          .createIndex(dialect.indexName(name, columns, generation))
          .on(this.physicalName(name))
          .columns([...columns]);
        return (unique ? index.unique() : index).compile().sql;
      }),
    );
  }

  /** Creates the secondary indexes. @param events number of events in the tables. */
  async createIndexes(generation: number, events: number): Promise<void> {
    const statements = this.indexStatements(generation);
    if (statements.length > 0) await this.#parts.dialect.createIndexes(statements, events);
  }

  drop(): Promise<void> {
    return dropTables(
      this.#parts,
      Object.keys(this.definitions).map((name) => this.physicalName(name)),
    );
  }

  /** Renames the tables to their own names. Earlier tables with those names must be dropped first. */
  async rename(): Promise<void> {
    const { connection, compiler } = this.#parts;
    for (const name of Object.keys(this.definitions)) {
      await connection.execute(
        compiler.schema.alterTable(this.physicalName(name)).renameTo(name).compile().sql,
      );
    }
  }

  /** Counts the rows of all tables by reading them, which takes milliseconds for a million rows. */
  async countRows(): Promise<number> {
    const { connection, compiler } = this.#parts;
    let rows = 0;
    for (const name of Object.keys(this.definitions)) {
      const counted = sql<{ n: number }>`select count(*) as n from ${sql.table(this.physicalName(name))}`;
      rows += (await connection.rows(counted.compile(compiler)))[0]?.n ?? 0;
    }
    return rows;
  }

  /** Returns a new writer; the tables must exist. */
  writer(): BatchWriter {
    return this.#parts.dialect.writer(this.definitions, (table) => this.physicalName(table));
  }
}

export async function dropTables(
  { connection, compiler }: Pick<TableSetParts, "connection" | "compiler">,
  names: Iterable<string>,
): Promise<void> {
  for (const name of names)
    await connection.execute(compiler.schema.dropTable(name).ifExists().compile().sql);
}

/** Drops tables that a crashed rebuild left over. @returns their names. */
export async function dropRubbish(parts: TableSetParts): Promise<readonly string[]> {
  const rubbish = (await parts.dialect.tableNames()).filter((name) => name.endsWith(besideSuffix));
  await dropTables(parts, rubbish);
  return rubbish;
}
