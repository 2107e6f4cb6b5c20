/**
 * Defines read-model tables as data. One definition gives the SQL of the table (also under another name for a rebuild)
 * and the types of written and read rows.
 */

/** Type of a column; a question mark allows null. */
export type ColumnKind = "text" | "integer" | "boolean" | "text?" | "integer?" | "boolean?";

/** The columns of a table by name, in the order of their creation. */
export type Columns = Readonly<Record<string, ColumnKind>>;

export interface IndexDefinition<Column extends string = string> {
  readonly columns: readonly Column[];
  readonly unique?: boolean;
}

/**
 * A table. Every table also has `log_position`: the position of the last event in the row. The writer sets it, so that a
 * repeated event changes nothing.
 */
export interface TableDefinition<Shape extends Columns = Columns, Key extends string = string> {
  readonly columns: Shape;
  readonly primaryKey: readonly Key[];
  readonly indexes: readonly IndexDefinition[];
  /** Columns that other programs write too; a rebuild does not compare them. */
  readonly sharedColumns?: readonly string[];
}

export type TableDefinitions = Readonly<Record<string, TableDefinition>>;

/** The extra column of every table; see {@link TableDefinition}. */
export const positionColumn = "log_position";

/** Defines a table. Primary key and indexes can only name its columns. */
export function table<const Shape extends Columns, const Key extends keyof Shape & string>(definition: {
  readonly columns: Shape;
  readonly primaryKey: readonly Key[];
  readonly indexes?: readonly IndexDefinition<keyof Shape & string>[];
  readonly sharedColumns?: readonly string[];
}): TableDefinition<Shape, Key> {
  return { ...definition, indexes: definition.indexes ?? [] };
}

interface WrittenValues {
  readonly text: string;
  readonly integer: number | bigint;
  readonly boolean: boolean;
}

interface ReadValues {
  readonly text: string;
  /** Integers above 2^53 cannot be read back; cents, ids and revisions stay far below. */
  readonly integer: number;
  /** 0 or 1, because SQLite has no booleans. */
  readonly boolean: number;
}

type ValueOf<Kind, Values> = Kind extends `${infer Base extends keyof Values & string}?`
  ? Values[Base] | null
  : Kind extends keyof Values
    ? Values[Kind]
    : never;

/** A whole row to write; a missing column does not compile. */
export type NewRow<Table extends TableDefinition> = {
  readonly [Column in keyof Table["columns"]]: ValueOf<Table["columns"][Column], WrittenValues>;
};

export type RowKey<Table extends TableDefinition> = Pick<NewRow<Table>, Table["primaryKey"][number]>;

/** New values for some columns of a row; the primary key never changes. */
export type RowChanges<Table extends TableDefinition> = Partial<
  Omit<NewRow<Table>, Table["primaryKey"][number]>
>;

export type Row<Table extends TableDefinition> = {
  readonly [Column in keyof Table["columns"]]: ValueOf<Table["columns"][Column], ReadValues>;
};

/** The tables for Kysely: `openReadModels<Schema<typeof accountTables>>`. */
export type Schema<Tables extends TableDefinitions> = {
  readonly [Name in keyof Tables]: Row<Tables[Name]> & { readonly [positionColumn]: number };
};
