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
  readonly #name: string;
  readonly #connection: SqliteConnection;
  readonly #compiler: Kysely<unknown>;
  /** By what they do; a statement is made when it is first needed, since a start needs hardly any. */
  readonly #statements = new Map<string, StatementSync>();

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
  }

  /** Parameters: the columns, the position. */
  get insert(): StatementSync {
    return this.#statement(
      "insert",
      () => sql`${this.#newRow()} on conflict (${commaSeparated(this.primaryKey)}) do nothing`,
    );
  }

  /** Parameters: the columns, the position. */
  get upsert(): StatementSync {
    return this.#statement("upsert", () => {
      const others = [...this.columns, positionColumn].filter((column) => !this.primaryKey.includes(column));
      const replaced = others.map((column) => sql`${sql.ref(column)} = excluded.${sql.ref(column)}`);
      const position = sql.ref(`${this.#name}.${positionColumn}`);
      const guard = sql`excluded.${sql.ref(positionColumn)} >= ${position}`;
      const key = commaSeparated(this.primaryKey);
      return sql`${this.#newRow()} on conflict (${key}) do update set ${sql.join(replaced)} where ${guard}`;
    });
  }

  /** Parameters: the key, the position. */
  get delete(): StatementSync {
    return this.#statement(
      "delete",
      () => sql`delete from ${sql.table(this.#name)} where ${this.#keyMatches()} and ${notLater}`,
    );
  }

  /** Parameters: the key, the position. Answers a row when the table's row reflects this event or a later one. */
  get reflects(): StatementSync {
    const notEarlier = sql`${sql.ref(positionColumn)} >= ${null}`;
    return this.#statement(
      "reflects",
      () => sql`select 1 from ${sql.table(this.#name)} where ${this.#keyMatches()} and ${notEarlier}`,
    );
  }

  /** Parameters: the changed columns, the position, the key, the position again. */
  update(changed: readonly string[]): StatementSync {
    return this.#statement(`update ${changed.join()}`, () => {
      const assignments = [...changed, positionColumn].map(
        (column) => sql`${sql.ref(column)} = ${placeholder()}`,
      );
      return sql`update ${sql.table(this.#name)} set ${sql.join(assignments)} where ${this.#keyMatches()} and ${notLater}`;
    });
  }

  #newRow(): RawBuilder<unknown> {
    const all = [...this.columns, positionColumn];
    return sql`insert into ${sql.table(this.#name)} (${commaSeparated(all)}) values (${sql.join(all.map(placeholder))})`;
  }

  #keyMatches(): RawBuilder<unknown> {
    return sql.join(
      this.primaryKey.map((column) => sql`${sql.ref(column)} = ${placeholder()}`),
      sql` and `,
    );
  }

  #statement(does: string, query: () => RawBuilder<unknown>): StatementSync {
    const known = this.#statements.get(does);
    if (known !== undefined) return known;
    const { statement } = this.#connection.prepare(query().compile(this.#compiler).sql);
    this.#statements.set(does, statement);
    return statement;
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
