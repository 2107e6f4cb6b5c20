import type { Position } from "@hostledger/event-store";
import { sql, type CompiledQuery, type Kysely } from "kysely";

import { beforeFirst } from "../projector/position.ts";
import type { TableDefinitions } from "../tables.ts";
import type { Bookkeeping } from "./migrations.ts";
import type { WriteConnection } from "./engine.port.ts";

/** How far a projection's tables reflect the log, and which definition they were made from. */
export interface Checkpoint {
  readonly projection: string;
  readonly version: number;
  readonly position: Position;
  /** The table definitions as text; another text means that the tables have another shape. */
  readonly tables: string;
  readonly generation: number;
  /** Why the projection stands still, naming the event; null while it does not. */
  readonly parked: string | null;
  /** By which event the log is known again, as `markOf` writes it; null where none is known. */
  readonly last_event: string | null;
}

/** Where checkpoints are kept: in the tables' own database, so that both change in one transaction. */
export class Checkpoints {
  readonly #connection: WriteConnection;
  readonly #db: Kysely<Bookkeeping>;
  /** The statements that move so many checkpoints at once. */
  readonly #advance = new Map<number, CompiledQuery>();

  constructor(connection: WriteConnection, db: Kysely<Bookkeeping>) {
    this.#connection = connection;
    this.#db = db;
  }

  async load(projection: string): Promise<Checkpoint | undefined> {
    return (await this.all()).find((checkpoint) => checkpoint.projection === projection);
  }

  /** The checkpoints of all projections of the database: a handful. */
  async all(): Promise<readonly Checkpoint[]> {
    const query = this.#db
      .selectFrom("checkpoints")
      .select(["projection", "version", "tables", "generation", "parked", "last_event"])
      // As text, since a JavaScript number holds positions up to 2^53 only.
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
   * Moves the checkpoints of projections that have come to the same place; without a mark each keeps the one it has. The hot
   * path: after every event nearly all projections of a service are at one place, and this is one statement for all of them.
   * @param projections at least one.
   */
  async advance(projections: readonly string[], position: Position, mark: string | null): Promise<void> {
    const parameters = [position, mark, ...projections];
    await this.#connection.run({ ...this.#statementFor(projections.length), parameters });
  }

  /** Compiled once for each number of projections, of which a service has a handful. */
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

  /** Says why projections stand still, for other processes; null takes it back. */
  async park(projection: string, parked: string | null): Promise<void> {
    await this.#connection.run(
      this.#db.updateTable("checkpoints").set({ parked }).where("projection", "=", projection).compile(),
    );
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
