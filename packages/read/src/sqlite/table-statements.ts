import { sql, type Kysely, type RawBuilder } from "kysely";

import { positionColumn, type TableDefinition } from "../tables.ts";
import type { RowStatement } from "./write-session.ts";

/**
 * The write statements of a physical table, each compiled once by Kysely. `update` has a statement for each combination of
 * columns that handlers change together.
 *
 * Every statement that changes a row contains a guard: the row must not reflect a later event.
 */
export class TableStatements {
  readonly columns: readonly string[];
  readonly primaryKey: readonly string[];
  readonly #called: string;
  readonly #name: string;
  readonly #compiler: Kysely<unknown>;
  /** Statements by their action, compiled on first use because a start needs few of them. */
  readonly #statements = new Map<string, RowStatement>();

  /**
   * @param called name of the table in its definition.
   * @param name name of the table in the database.
   */
  constructor(
    compiler: Kysely<unknown>,
    called: string,
    { name, definition }: { readonly name: string; readonly definition: TableDefinition },
  ) {
    this.#compiler = compiler;
    this.#called = called;
    this.#name = name;
    this.columns = Object.keys(definition.columns);
    this.primaryKey = definition.primaryKey;
  }

  /** Parameters: columns, position. */
  get insert(): RowStatement {
    return this.#statement(
      "insert",
      () => sql`${this.#newRow()} on conflict (${commaSeparated(this.primaryKey)}) do nothing`,
      () => ({
        table: this.#called,
        reflects: this.#reflects(),
        key: this.primaryKey.map((column) => this.columns.indexOf(column)),
      }),
    );
  }

  /** Parameters: columns, position. */
  get upsert(): RowStatement {
    return this.#statement("upsert", () => {
      const others = [...this.columns, positionColumn].filter((column) => !this.primaryKey.includes(column));
      const replaced = others.map((column) => sql`${sql.ref(column)} = excluded.${sql.ref(column)}`);
      const position = sql.ref(`${this.#name}.${positionColumn}`);
      const guard = sql`excluded.${sql.ref(positionColumn)} >= ${position}`;
      const key = commaSeparated(this.primaryKey);
      return sql`${this.#newRow()} on conflict (${key}) do update set ${sql.join(replaced)} where ${guard}`;
    });
  }

  /** Parameters: key, position. */
  get delete(): RowStatement {
    return this.#statement(
      "delete",
      () => sql`delete from ${sql.table(this.#name)} where ${this.#keyMatches()} and ${notLater}`,
    );
  }

  /** Parameters: changed columns, position, key, position again. */
  update(changed: readonly string[]): RowStatement {
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

  #reflects(): string {
    const notEarlier = sql`${sql.ref(positionColumn)} >= ${null}`;
    return sql`select 1 from ${sql.table(this.#name)} where ${this.#keyMatches()} and ${notEarlier}`.compile(
      this.#compiler,
    ).sql;
  }

  #statement(
    does: string,
    query: () => RawBuilder<unknown>,
    adds?: () => NonNullable<RowStatement["adds"]>,
  ): RowStatement {
    const known = this.#statements.get(does);
    if (known !== undefined) return known;
    const { sql: text, parameters } = query().compile(this.#compiler);
    const made = {
      sql: text,
      parameters: parameters.length,
      ...(adds === undefined ? {} : { adds: adds() }),
    };
    this.#statements.set(does, made);
    return made;
  }
}

const notLater = sql`${sql.ref(positionColumn)} <= ${null}`;

/** A parameter whose value is bound at each execution. */
function placeholder(): RawBuilder<unknown> {
  return sql`${null}`;
}

function commaSeparated(columns: readonly string[]): RawBuilder<unknown> {
  return sql.join(columns.map((column) => sql.ref(column)));
}
