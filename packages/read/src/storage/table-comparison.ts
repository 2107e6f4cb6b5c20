import { yieldToOthers } from "@hostledger/runtime/async";
import { sql, type RawBuilder } from "kysely";

import { positionColumn, type TableDefinition } from "../tables.ts";
import type { ProjectionStorage } from "./storage.port.ts";
import type { TableSet } from "./table-set.ts";

/** Rows compared between two turns of the event loop. */
const chunkRows = 5_000;

/**
 * Compares two table sets of a definition row by row, including `log_position` but without columns that others also write.
 *
 * Reads the primary key in chunks and lets the event loop turn in between. Events that arrive meanwhile must be written to
 * both sets in one transaction, so that both have the same position whenever a chunk is read.
 */
export async function tablesEqual(
  storage: Pick<ProjectionStorage, "connection" | "compiler" | "exclusively">,
  left: TableSet,
  right: TableSet,
): Promise<boolean> {
  const { connection, compiler } = storage;
  for (const [name, definition] of Object.entries(left.definitions)) {
    const comparison = new TableComparison(left.physicalName(name), right.physicalName(name), definition);
    for (let after: Key | undefined, last = false; !last;) {
      const from: Key | undefined = after;
      const upTo = await storage.exclusively(async () => {
        const [next] = await connection.rows(comparison.chunkEnd(from).compile(compiler));
        const end = next === undefined ? undefined : definition.primaryKey.map((column) => next[column]);
        const [found] = await connection.rows(comparison.differences(from, end).compile(compiler));
        return found?.missing === 0 && found.surplus === 0 ? { end } : undefined;
      });
      if (upTo === undefined) return false;
      last = upTo.end === undefined;
      after = upTo.end;
      await yieldToOthers();
    }
  }
  return true;
}

type Key = readonly unknown[];

interface Differences {
  readonly missing: number;
  readonly surplus: number;
}

class TableComparison {
  readonly #left: string;
  readonly #right: string;
  readonly #identical: RawBuilder<unknown>;
  readonly #key: RawBuilder<unknown>;

  constructor(left: string, right: string, { columns, primaryKey, sharedColumns = [] }: TableDefinition) {
    this.#left = left;
    this.#right = right;
    // Keys are compared with "=", so that an index finds the other row; other columns may be null.
    const others = [...Object.keys(columns), positionColumn].filter(
      (column) => !primaryKey.includes(column) && !sharedColumns.includes(column),
    );
    const same = (column: string, operator: RawBuilder<unknown>): RawBuilder<unknown> =>
      sql`${sql.ref(`r.${column}`)} ${operator} ${sql.ref(`l.${column}`)}`;
    this.#identical = sql.join(
      [
        ...primaryKey.map((column) => same(column, sql`=`)),
        ...others.map((column) => same(column, sql`is not distinct from`)),
      ],
      sql` and `,
    );
    this.#key = sql.join(primaryKey.map((column) => sql.ref(column)));
  }

  /** Selects the key of the chunk's last row; no result means the last chunk. */
  chunkEnd(after: Key | undefined): RawBuilder<Readonly<Record<string, unknown>>> {
    return sql`select ${this.#key} from ${sql.table(this.#left)} where ${this.#range(after, undefined)}
      order by ${this.#key} limit 1 offset ${sql.lit(chunkRows - 1)}`;
  }

  /**
   * Counts missing and surplus rows; both counts are 0 only for identical tables. Unlike `EXCEPT`, needs no temporary
   * table.
   */
  differences(after: Key | undefined, upTo: Key | undefined): RawBuilder<Differences> {
    const rows = (table: string, alias: string): RawBuilder<unknown> =>
      sql`select count(*) from ${sql.table(table)} as ${sql.ref(alias)} where ${this.#range(after, upTo)}`;
    return sql`select
      (${rows(this.#left, "l")} and not exists (
        select 1 from ${sql.table(this.#right)} as r where ${this.#identical})) as missing,
      (${rows(this.#right, "r")}) - (${rows(this.#left, "l")}) as surplus`;
  }

  #range(after: Key | undefined, upTo: Key | undefined): RawBuilder<unknown> {
    const from = after === undefined ? sql`true` : sql`(${this.#key}) > (${sql.join(after)})`;
    const to = upTo === undefined ? sql`true` : sql`(${this.#key}) <= (${sql.join(upTo)})`;
    return sql`${from} and ${to}`;
  }
}
