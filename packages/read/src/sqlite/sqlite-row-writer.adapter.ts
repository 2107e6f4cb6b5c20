import type { SQLInputValue } from "node:sqlite";

import type { Position } from "@hostledger/store";

import { ReadModelError } from "../errors.ts";
import { beforeFirst } from "../projector/position.ts";
import { allEnded } from "../projector/side-by-side.ts";
import type { BatchWriter } from "../storage/engine.port.ts";
import { toSqlValue } from "./sqlite-connection.ts";
import type { TableStatements } from "./table-statements.ts";
import type { RowChanges, RowStatement, Writing } from "./write-session.ts";

type Values = Readonly<Record<string, unknown>>;

/** Number of changes after which a batch sends them to the writing connection early. */
const earlyChanges = 200;

/** Collects the rows of many events and writes them in order inside the batch's transaction. */
export class SqliteRowWriter implements BatchWriter {
  readonly #writing: Pick<Writing, "ask">;
  readonly #tables: ReadonlyMap<string, TableStatements>;
  #position: Position = beforeFirst;
  #kept = new KeptChanges();
  #sent: Promise<unknown>[] = [];

  constructor(writing: Pick<Writing, "ask">, tables: ReadonlyMap<string, TableStatements>) {
    this.#writing = writing;
    this.#tables = tables;
  }

  reflect(position: Position): void {
    this.#position = position;
  }

  flush(): Promise<void> {
    this.#send();
    const sent = this.#sent;
    this.#sent = [];
    return allEnded(sent);
  }

  discard(): void {
    this.#kept = new KeptChanges();
    this.#sent = [];
  }

  insert(table: string, row: Values): void {
    const { insert, columns } = this.#table(table);
    this.#add(insert, valuesOf(row, columns));
  }

  upsert(table: string, row: Values): void {
    const { upsert, columns } = this.#table(table);
    this.#add(upsert, valuesOf(row, columns));
  }

  update(table: string, key: Values, changes: Values): void {
    const statements = this.#table(table);
    const changed = Object.keys(changes);
    const values = [...valuesOf(changes, changed), this.#position, ...valuesOf(key, statements.primaryKey)];
    this.#add(statements.update(changed), values);
  }

  delete(table: string, key: Values): void {
    const statements = this.#table(table);
    this.#add(statements.delete, valuesOf(key, statements.primaryKey));
  }

  /** Adds a change; each statement's last parameter is the event's position. */
  #add(statement: RowStatement, values: readonly SQLInputValue[]): void {
    this.#kept.add(statement, values, this.#position);
    if (this.#kept.size >= earlyChanges) this.#send();
  }

  #send(): void {
    if (this.#kept.size === 0) return;
    const changes = this.#kept.all;
    this.#kept = new KeptChanges();
    const sent = this.#writing.ask({ kind: "change", changes });
    // `flush` reports the error.
    sent.catch(() => undefined);
    this.#sent.push(sent);
  }

  #table(name: string): TableStatements {
    const statements = this.#tables.get(name);
    if (statements === undefined) throw new ReadModelError(`the projection has no table ${name}`);
    return statements;
  }
}

class KeptChanges {
  readonly #places = new Map<RowStatement, number>();
  readonly #statements: RowStatement[] = [];
  readonly #order: number[] = [];
  readonly #parameters: SQLInputValue[] = [];

  get size(): number {
    return this.#order.length;
  }

  get all(): RowChanges {
    return { statements: this.#statements, order: this.#order, parameters: this.#parameters };
  }

  add(statement: RowStatement, values: readonly SQLInputValue[], position: Position): void {
    this.#order.push(this.#placeOf(statement));
    this.#parameters.push(...values, position);
  }

  #placeOf(statement: RowStatement): number {
    const known = this.#places.get(statement);
    if (known !== undefined) return known;
    const place = this.#statements.push(statement) - 1;
    this.#places.set(statement, place);
    return place;
  }
}

function valuesOf(row: Values, columns: readonly string[]): SQLInputValue[] {
  return columns.map((column) => toSqlValue(row[column]));
}
