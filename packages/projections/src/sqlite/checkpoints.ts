import type { Position } from "@hostledger/event-store";
import { sql, type Kysely } from "kysely";

import { beforeFirst } from "../projector/position.ts";
import type { TableDefinitions } from "../tables.ts";
import type { Bookkeeping } from "./migrations.ts";
import type { SqliteConnection } from "./sqlite-connection.ts";

/** How far a projection's tables reflect the log, and which definition they were made from. */
export interface Checkpoint {
  readonly projection: string;
  readonly version: number;
  readonly position: Position;
  /** The table definitions as text; another text means that the tables have another shape. */
  readonly tables: string;
  readonly generation: number;
}

/** Where checkpoints are kept: in the tables' own database, so that both change in one transaction. */
export class Checkpoints {
  readonly #connection: SqliteConnection;
  readonly #db: Kysely<Bookkeeping>;

  constructor(connection: SqliteConnection, db: Kysely<Bookkeeping>) {
    this.#connection = connection;
    this.#db = db;
  }

  load(projection: string): Checkpoint | undefined {
    const query = this.#db
      .selectFrom("checkpoints")
      .select(["projection", "version", "tables", "generation"])
      // As text, since a JavaScript number holds positions up to 2^53 only.
      .select(sql<string>`cast(position as text)`.as("position"))
      .where("projection", "=", projection)
      .compile();
    const [found] = this.#connection.rows(query);
    return found === undefined ? undefined : { ...found, position: BigInt(found.position) };
  }

  save(checkpoint: Checkpoint): void {
    const { projection, ...rest } = checkpoint;
    const query = this.#db
      .insertInto("checkpoints")
      .values({ projection, ...rest })
      .onConflict((conflict) => conflict.column("projection").doUpdateSet(rest))
      .compile();
    this.#connection.run(query);
  }

  /** Moves a checkpoint forward; the hot path, so the SQL is a constant. */
  advance(projection: string, position: Position): void {
    const { statement } = this.#connection.prepare(
      "update checkpoints set position = ? where projection = ?",
    );
    statement.run(position, projection);
  }
}

/** The text by which a checkpoint remembers the shape of its tables. */
export function definitionText(tables: TableDefinitions): string {
  return JSON.stringify(tables);
}

/** The table names in such a text. */
export function tableNamesIn(text: string): readonly string[] {
  const value: unknown = JSON.parse(text);
  return typeof value === "object" && value !== null ? Object.keys(value) : [];
}

/** The checkpoint of tables that nothing was written to. */
export function emptyCheckpoint(projection: string, version: number, tables: TableDefinitions): Checkpoint {
  return { projection, version, position: beforeFirst, tables: definitionText(tables), generation: 0 };
}
