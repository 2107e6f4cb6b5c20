import type { Position } from "@hostledger/store";
import { CompiledQuery } from "kysely";

import { ReadModelError, RowConflictError } from "../errors.ts";
import { beforeFirst } from "../projector/position.ts";
import type { BatchWriter, WriteConnection } from "../storage/engine.port.ts";
import type { TableDefinition, TableDefinitions } from "../tables.ts";
import { columnArray, TableSql } from "./table-sql.ts";

/** Collects the rows of many events and writes them with few statements. */
export class PostgresRowWriter implements BatchWriter {
  readonly #tables: ReadonlyMap<string, TableBatch>;
  #position: Position = beforeFirst;
  /** Full batches, in order. Their changes cannot be merged with later changes of the same row. */
  readonly #overflow: (() => Promise<void>)[] = [];

  constructor(
    connection: WriteConnection,
    definitions: TableDefinitions,
    physicalName: (table: string) => string,
  ) {
    this.#tables = new Map(
      Object.entries(definitions).map(([name, definition]) => [
        name,
        new TableBatch(connection, name, new TableSql(physicalName(name), definition)),
      ]),
    );
  }

  reflect(position: Position): void {
    this.#position = position;
  }

  insert(table: string, row: Values): void {
    this.#add(table, "insert", row, row);
  }

  upsert(table: string, row: Values): void {
    this.#add(table, "upsert", row, row);
  }

  update(table: string, key: Values, changes: Values): void {
    this.#add(table, "update", key, changes);
  }

  delete(table: string, key: Values): void {
    this.#add(table, "delete", key, {});
  }

  async flush(): Promise<void> {
    for (const write of this.#overflow.splice(0)) await write();
    for (const table of this.#tables.values()) await table.write();
  }

  discard(): void {
    this.#overflow.length = 0;
    for (const table of this.#tables.values()) table.clear();
  }

  #add(name: string, kind: RowChange["kind"], key: Values, values: Values): void {
    const table = this.#tables.get(name);
    if (table === undefined) throw new ReadModelError(`the projection has no table ${name}`);
    const change = { kind, key: table.keyOf(key), values, position: this.#position };
    if (table.add(change)) return;
    this.#overflow.push(table.detach());
    table.add(change);
  }
}

class TableBatch {
  readonly #connection: WriteConnection;
  readonly #name: string;
  readonly #sql: TableSql;
  #batch = new RowBatch();

  constructor(connection: WriteConnection, name: string, sql: TableSql) {
    this.#connection = connection;
    this.#name = name;
    this.#sql = sql;
  }

  keyOf(row: Values): readonly unknown[] {
    return this.#definition.primaryKey.map((column) => row[column]);
  }

  add(change: RowChange): boolean {
    return this.#batch.add(change);
  }

  clear(): void {
    this.#batch.clear();
  }

  write(): Promise<void> {
    return this.detach()();
  }

  /** Starts a new batch and returns a function that writes the previous batch. */
  detach(): () => Promise<void> {
    const batch = this.#batch;
    this.#batch = new RowBatch();
    return () => this.#write(batch);
  }

  get #definition(): TableDefinition {
    return this.#sql.definition;
  }

  /** Writes deletions before insertions, because unique indexes are checked after each statement. */
  async #write(batch: RowBatch): Promise<void> {
    if (batch.size === 0) return;
    const passing = batch.of("passing");
    await this.#refuseConflicts(
      passing.map((change) => ({ ...change, position: change.cameAt ?? change.position })),
    );
    // A repeated batch may find rows that its first run inserted, although this batch inserts and deletes them.
    const deletions = [...batch.of("delete"), ...passing];
    if (deletions.length > 0) await this.#run(this.#sql.delete, deletions, []);
    const updates = Map.groupBy(batch.of("update"), ({ values }) => Object.keys(values).join());
    for (const group of updates.values()) {
      const columns = Object.keys(group[0]?.values ?? {});
      await this.#run(this.#sql.update(columns), group, columns);
    }
    const all = Object.keys(this.#definition.columns);
    const others = all.filter((column) => !this.#definition.primaryKey.includes(column));
    const upserts = batch.of("upsert");
    if (upserts.length > 0) await this.#run(this.#sql.upsert, upserts, others);
    const insertions = batch.of("insert");
    if (insertions.length > 0) await this.#insert(insertions, others);
  }

  async #insert(changes: readonly RowChange[], others: readonly string[]): Promise<void> {
    const taken = await this.#rows(this.#sql.insert, changes, others);
    if (taken.length === changes.length) return;
    await this.#refuseConflicts(changes);
  }

  /** Refuses rows from earlier events; rows from this event mean that the event is repeated. @throws RowConflictError */
  async #refuseConflicts(changes: readonly RowChange[]): Promise<void> {
    if (changes.length === 0) return;
    const [first] = await this.#rows(this.#sql.conflicts, changes, []);
    if (first === undefined) return;
    throw new RowConflictError(
      this.#name,
      this.#definition.primaryKey.map((column) => first[column]),
    );
  }

  async #run(text: string, changes: readonly RowChange[], columns: readonly string[]): Promise<void> {
    await this.#connection.run(CompiledQuery.raw(text, this.#parameters(changes, columns)));
  }

  #rows(text: string, changes: readonly RowChange[], columns: readonly string[]): Promise<Values[]> {
    return this.#connection.rows<Values>({
      ...CompiledQuery.raw(text, this.#parameters(changes, columns)),
    });
  }

  /** Returns an array for each column: the key, the others, the position. */
  #parameters(changes: readonly RowChange[], columns: readonly string[]): unknown[] {
    const { primaryKey, columns: kinds } = this.#definition;
    return [
      ...primaryKey.map((_, index) => columnArray(changes.map(({ key }) => key[index]))),
      ...columns.map((column) => {
        if (!(column in kinds)) throw new ReadModelError(`table ${this.#name} has no column ${column}`);
        return columnArray(changes.map(({ values }) => values[column]));
      }),
      columnArray(changes.map(({ position }) => position)),
    ];
  }
}

type Values = Readonly<Record<string, unknown>>;

/** A change of a row. `passing` is a row that the batch inserts and deletes. */
export interface RowChange {
  readonly kind: "insert" | "upsert" | "update" | "delete" | "passing";
  /** Values of the primary key, in its order. */
  readonly key: readonly unknown[];
  /** The whole row, or the changed columns. */
  readonly values: Values;
  /** Position of the event that the row then reflects. */
  readonly position: Position;
  /** Position of the event that inserted a `passing` row; no earlier event may have inserted it. */
  readonly cameAt?: Position;
}

/** Merges two changes of a row. @returns undefined if they cannot be merged: write the earlier one first. */
function folded(earlier: RowChange, later: RowChange): RowChange | undefined {
  if (later.kind === "insert") return undefined;
  if (earlier.kind === "passing") return later.kind === "upsert" ? undefined : earlier;
  if (later.kind === "upsert") return earlier.kind === "insert" ? { ...later, kind: "insert" } : later;
  if (later.kind === "delete")
    return earlier.kind === "insert" ? { ...later, kind: "passing", cameAt: earlier.position } : later;
  // Updating a deleted row changes nothing.
  if (earlier.kind === "delete") return earlier;
  return { ...earlier, values: { ...earlier.values, ...later.values }, position: later.position };
}

/** Changes of a table that can be written together: at most one for each row. */
export class RowBatch {
  readonly #changes = new Map<string, RowChange>();

  get size(): number {
    return this.#changes.size;
  }

  /** Adds a change. @returns false if the batch must be written first. */
  add(change: RowChange): boolean {
    const name = JSON.stringify(change.key, (_, value: unknown) =>
      typeof value === "bigint" ? `${String(value)}n` : value,
    );
    const earlier = this.#changes.get(name);
    const one = earlier === undefined ? change : folded(earlier, change);
    if (one === undefined) return false;
    this.#changes.set(name, one);
    return true;
  }

  of(kind: RowChange["kind"]): readonly RowChange[] {
    return this.all().filter((change) => change.kind === kind);
  }

  all(): readonly RowChange[] {
    return [...this.#changes.values()];
  }

  clear(): void {
    this.#changes.clear();
  }
}
