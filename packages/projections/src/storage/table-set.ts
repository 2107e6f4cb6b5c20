import { sql, type Kysely } from "kysely";

import type { TableDefinitions } from "../tables.ts";
import type { BatchWriter, Dialect, WriteConnection } from "./engine.port.ts";

/** Ends the names of tables that are being built; whatever has it at start-up is rubbish of a crash. */
export const besideSuffix = "__rebuild";

/** What all table sets of a database share. */
export interface TableSetParts {
  readonly connection: WriteConnection;
  readonly compiler: Kysely<unknown>;
  readonly dialect: Dialect;
}

/** A projection's tables: their own (`suffix` empty), or a set that is built beside them. */
export class TableSet {
  readonly definitions: TableDefinitions;
  readonly #parts: TableSetParts;
  readonly #suffix: string;

  constructor(parts: TableSetParts, definitions: TableDefinitions, suffix = "") {
    this.definitions = definitions;
    this.#parts = parts;
    this.#suffix = suffix;
  }

  /** The name that a table of the definition has in the database. */
  physicalName(table: string): string {
    return table + this.#suffix;
  }

  /** Makes the tables, without secondary indexes. */
  async create(): Promise<void> {
    const { connection, dialect } = this.#parts;
    for (const [name, definition] of Object.entries(this.definitions))
      await connection.execute(dialect.createTable(this.physicalName(name), definition));
  }

  /**
   * The statements that make the secondary indexes. An index keeps its name when its table gets another, so the name carries
   * the generation of the table instead of the table's passing name.
   */
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

  /** Makes the secondary indexes of tables that hold the rows of so many events. */
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

  /** Gives the tables their own names. The tables that had them must be gone. */
  async rename(): Promise<void> {
    const { connection, compiler } = this.#parts;
    for (const name of Object.keys(this.definitions)) {
      await connection.execute(
        compiler.schema.alterTable(this.physicalName(name)).renameTo(name).compile().sql,
      );
    }
  }

  /** Counts the rows of all tables: it reads them through, which takes milliseconds for a million. */
  async countRows(): Promise<number> {
    const { connection, compiler } = this.#parts;
    let rows = 0;
    for (const name of Object.keys(this.definitions)) {
      const counted = sql<{ n: number }>`select count(*) as n from ${sql.table(this.physicalName(name))}`;
      rows += (await connection.rows(counted.compile(compiler)))[0]?.n ?? 0;
    }
    return rows;
  }

  /** A writer of its own; the tables must exist. */
  writer(): BatchWriter {
    return this.#parts.dialect.writer(this.definitions, (table) => this.physicalName(table));
  }
}

/** Drops tables that may be there. */
export async function dropTables(
  { connection, compiler }: Pick<TableSetParts, "connection" | "compiler">,
  names: Iterable<string>,
): Promise<void> {
  for (const name of names)
    await connection.execute(compiler.schema.dropTable(name).ifExists().compile().sql);
}

/** Drops the tables that a crash in the middle of a rebuild left behind. */
export async function dropRubbish(parts: TableSetParts): Promise<readonly string[]> {
  const rubbish = (await parts.dialect.tableNames()).filter((name) => name.endsWith(besideSuffix));
  await dropTables(parts, rubbish);
  return rubbish;
}
