import pg from "pg";

import { ReadModelError } from "../errors.ts";
import { positionColumn, type TableDefinition } from "../tables.ts";

const quoted = (name: string): string => pg.escapeIdentifier(name);
const list = (parts: readonly string[]): string => parts.join(", ");
const all = (parts: readonly string[]): string => parts.join(" and ");

/** Statements that write many rows from arrays of columns. Guard: the row must not reflect a later event. */
export class TableSql {
  readonly definition: TableDefinition;
  readonly insert: string;
  readonly upsert: string;
  readonly delete: string;
  /** Selects the key of a row that an earlier event inserted. */
  readonly conflicts: string;
  readonly #name: string;
  readonly #updates = new Map<string, string>();

  constructor(name: string, definition: TableDefinition) {
    this.definition = definition;
    this.#name = quoted(name);
    const { primaryKey, columns } = definition;
    const key = primaryKey.map(quoted);
    const others = Object.keys(columns).filter((column) => !primaryKey.includes(column));
    const position = quoted(positionColumn);
    const into =
      `insert into ${this.#name} (${list([...key, ...others.map(quoted), position])}) ` +
      `select * from ${this.#rows(others)} on conflict (${list(key)})`;
    const replaced = [...others, positionColumn].map(
      (column) => `${quoted(column)} = excluded.${quoted(column)}`,
    );
    this.insert = `${into} do nothing returning ${list(key)}`;
    this.upsert = `${into} do update set ${list(replaced)} where ${this.#name}.${position} <= excluded.${position}`;
    this.delete = `delete from ${this.#name} as t using ${this.#rows([])} where ${this.#matches}`;
    this.conflicts =
      `select ${list(key.map((column) => `t.${column}`))} from ${this.#name} as t, ${this.#rows([])} ` +
      `where ${all(key.map((column) => `t.${column} = r.${column}`))} and t.${position} < r.${position} limit 1`;
  }

  update(changed: readonly string[]): string {
    const name = changed.join();
    const known = this.#updates.get(name);
    if (known !== undefined) return known;
    const assignments = [...changed, positionColumn].map(
      (column) => `${quoted(column)} = r.${quoted(column)}`,
    );
    const text =
      `update ${this.#name} as t set ${list(assignments)} ` +
      `from ${this.#rows(changed)} where ${this.#matches}`;
    this.#updates.set(name, text);
    return text;
  }

  get #matches(): string {
    const { primaryKey } = this.definition;
    const position = quoted(positionColumn);
    return all([
      ...primaryKey.map((column) => `t.${quoted(column)} = r.${quoted(column)}`),
      `t.${position} <= r.${position}`,
    ]);
  }

  /** Returns the parameters as a table: the key, the named columns, the position. */
  #rows(columns: readonly string[]): string {
    const names = [...this.definition.primaryKey, ...columns];
    const parameters = [...names.map((column) => this.#type(column)), "bigint"].map(
      (type, index) => `$${String(index + 1)}::${type}[]`,
    );
    return `unnest(${list(parameters)}) as r(${list([...names, positionColumn].map(quoted))})`;
  }

  #type(column: string): string {
    const kind = this.definition.columns[column];
    if (kind === undefined) throw new ReadModelError(`the table has no column ${column}`);
    return kind.startsWith("text") ? "text" : "bigint";
  }
}

/** Converts values for PostgreSQL: booleans become 0 and 1, U+0000, which it cannot store, becomes U+FFFD. */
export function columnArray(values: readonly unknown[]): unknown[] {
  return values.map((value) => {
    if (typeof value === "boolean") return value ? 1 : 0;
    if (typeof value === "string") return value.includes("\0") ? value.replaceAll("\0", "\ufffd") : value;
    if (value === null || typeof value === "number" || typeof value === "bigint") return value;
    throw new ReadModelError(`a ${typeof value} cannot be a column's value`);
  });
}

/** Returns the statement that creates a table. Text is compared bytewise, as in SQLite. */
export function createTableSql(name: string, { columns, primaryKey }: TableDefinition): string {
  const all = Object.entries(columns).map(([column, kind]) => {
    const type = kind.startsWith("text") ? 'text collate "C"' : "bigint";
    return `${quoted(column)} ${type}${kind.endsWith("?") ? "" : " not null"}`;
  });
  // The key has no explicit name, because such a name would remain when the table is renamed.
  const parts = [
    ...all,
    `${quoted(positionColumn)} bigint not null`,
    `primary key (${list(primaryKey.map(quoted))})`,
  ];
  return `create table ${quoted(name)} (${list(parts)})`;
}
