import type { StatementSync } from "node:sqlite";

import { sql, type Kysely, type RawBuilder } from "kysely";

import { positionColumn, type TableDefinition } from "../tables.ts";
import type { SqliteConnection } from "./sqlite-connection.ts";

/**
 * The write statements of one physical table. Kysely writes the SQL (it quotes, and knows the dialect); each text is
 * compiled and prepared once. `update` has one statement for each set of columns that handlers change together.
 *
 * Every statement that changes an existing row carries the guard: the row must not reflect a later event already.
 */
export class TableStatements {
  readonly columns: readonly string[];
  readonly primaryKey: readonly string[];
  /** Parameters: the columns, the position. */
  readonly insert: StatementSync;
  /** Parameters: the columns, the position. */
  readonly upsert: StatementSync;
  /** Parameters: the key, the position. */
  readonly delete: StatementSync;
  /** Parameters: the key, the position. Answers a row when the table's row reflects this event or a later one. */
  readonly reflects: StatementSync;
  readonly #updates = new Map<string, StatementSync>();
  readonly #connection: SqliteConnection;
  readonly #compiler: Kysely<unknown>;
  readonly #name: string;

  constructor(
    connection: SqliteConnection,
    compiler: Kysely<unknown>,
    name: string,
    definition: TableDefinition,
  ) {
    this.#connection = connection;
    this.#compiler = compiler;
    this.#name = name;
    this.columns = Object.keys(definition.columns);
    this.primaryKey = definition.primaryKey;

    const all = [...this.columns, positionColumn];
    const key = commaSeparated(this.primaryKey);
    const row = sql`insert into ${sql.table(name)} (${commaSeparated(all)}) values (${sql.join(all.map(placeholder))})`;
    const others = all.filter((column) => !this.primaryKey.includes(column));
    const replaced = others.map((column) => sql`${sql.ref(column)} = excluded.${sql.ref(column)}`);
    const guard = sql`excluded.${sql.ref(positionColumn)} >= ${sql.ref(`${name}.${positionColumn}`)}`;
    this.insert = this.#prepare(sql`${row} on conflict (${key}) do nothing`);
    this.upsert = this.#prepare(
      sql`${row} on conflict (${key}) do update set ${sql.join(replaced)} where ${guard}`,
    );
    this.delete = this.#prepare(
      sql`delete from ${sql.table(name)} where ${this.#keyMatches()} and ${notLater}`,
    );
    this.reflects = this.#prepare(
      sql`select 1 from ${sql.table(name)} where ${this.#keyMatches()} and ${sql.ref(positionColumn)} >= ${null}`,
    );
  }

  /** Parameters: the changed columns, the position, the key, the position again. */
  update(changed: readonly string[]): StatementSync {
    const cacheKey = changed.join();
    const known = this.#updates.get(cacheKey);
    if (known !== undefined) return known;
    const assignments = [...changed, positionColumn].map(
      (column) => sql`${sql.ref(column)} = ${placeholder()}`,
    );
    const statement = this.#prepare(
      sql`update ${sql.table(this.#name)} set ${sql.join(assignments)} where ${this.#keyMatches()} and ${notLater}`,
    );
    this.#updates.set(cacheKey, statement);
    return statement;
  }

  #keyMatches(): RawBuilder<unknown> {
    return sql.join(
      this.primaryKey.map((column) => sql`${sql.ref(column)} = ${placeholder()}`),
      sql` and `,
    );
  }

  #prepare(query: RawBuilder<unknown>): StatementSync {
    return this.#connection.prepare(query.compile(this.#compiler).sql).statement;
  }
}

const notLater = sql`${sql.ref(positionColumn)} <= ${null}`;

/** A parameter; its value is bound at each execution. */
function placeholder(): RawBuilder<unknown> {
  return sql`${null}`;
}

function commaSeparated(columns: readonly string[]): RawBuilder<unknown> {
  return sql.join(columns.map((column) => sql.ref(column)));
}
