import type { Position } from "@hostledger/store";
import { sql, type CompiledQuery, type Kysely } from "kysely";

import { beforeFirst } from "../projector/position.ts";
import type { TableDefinitions } from "../tables.ts";
import type { Bookkeeping } from "./migrations.ts";
import type { WriteConnection } from "./engine.port.ts";

/** A projection's position and the definition of its tables. */
export interface Checkpoint {
  readonly projection: string;
  readonly version: number;
  readonly position: Position;
  /** Table definitions as text; a different text means different columns. */
  readonly tables: string;
  readonly generation: number;
  /** Reason why the projection is stopped, with the event; null while it runs. */
  readonly parked: string | null;
  /** The last event, as `markOf` writes it, to detect a changed event store; null if unknown. */
  readonly last_event: string | null;
}

/** Stores checkpoints in the tables' database, so that both change in one transaction. */
export class Checkpoints {
  readonly #connection: WriteConnection;
  readonly #db: Kysely<Bookkeeping>;
  readonly #advance = new Map<number, CompiledQuery>();

  constructor(connection: WriteConnection, db: Kysely<Bookkeeping>) {
    this.#connection = connection;
    this.#db = db;
  }

  async load(projection: string): Promise<Checkpoint | undefined> {
    return (await this.all()).find((checkpoint) => checkpoint.projection === projection);
  }

  async all(): Promise<readonly Checkpoint[]> {
    const query = this.#db
      .selectFrom("checkpoints")
      .select(["projection", "version", "tables", "generation", "parked", "last_event"])
      // Reads the position as text, because a JavaScript number is exact only up to 2^53.
      .select(sql<string>`cast(position as text)`.as("position"))
      .compile();
    const rows = await this.#connection.rows(query);
    return rows.map((row) => ({ ...row, position: BigInt(row.position) }));
  }

  async save(checkpoint: Checkpoint): Promise<void> {
    const { projection, ...rest } = checkpoint;
    const query = this.#db
      .insertInto("checkpoints")
      .values({ projection, ...rest })
      .onConflict((conflict) => conflict.column("projection").doUpdateSet(rest))
      .compile();
    await this.#connection.run(query);
  }

  /**
   * Moves the checkpoints of several projections to a position in one statement. After most events, all projections of a
   * service move together.
   * @param projections at least one.
   * @param mark the last event; null leaves each stored mark unchanged.
   */
  async advance(projections: readonly string[], position: Position, mark: string | null): Promise<void> {
    const parameters = [position, mark, ...projections];
    await this.#connection.run({ ...this.#statementFor(projections.length), parameters });
  }

  /** Returns the statement for a number of projections, compiled once. */
  #statementFor(count: number): CompiledQuery {
    const known = this.#advance.get(count);
    if (known !== undefined) return known;
    const names = new Array<string>(count).fill("");
    const statement = this.#db
      .updateTable("checkpoints")
      .set({ position: beforeFirst, last_event: sql<string>`coalesce(${""}, last_event)` })
      .where("projection", "in", names)
      .compile();
    this.#advance.set(count, statement);
    return statement;
  }

  /** Stores the reason why a projection is stopped, for other processes; null clears it. */
  async park(projection: string, parked: string | null): Promise<void> {
    await this.#connection.run(
      this.#db.updateTable("checkpoints").set({ parked }).where("projection", "=", projection).compile(),
    );
  }
}

/** Returns the text that identifies the columns of a projection's tables. */
export function definitionText(tables: TableDefinitions): string {
  return JSON.stringify(tables);
}

export function tableNamesIn(text: string): readonly string[] {
  const value: unknown = JSON.parse(text);
  return typeof value === "object" && value !== null ? Object.keys(value) : [];
}
