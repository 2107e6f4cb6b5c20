/**
 * Read-model tables as data. One definition gives the SQL that creates the table (under its own name, or under
 * another for a rebuild), the type of the rows that handlers write, and the type of the rows that queries read.
 */

/** What a column holds; a question mark allows null. */
export type ColumnKind = "text" | "integer" | "boolean" | "text?" | "integer?" | "boolean?";

/** The columns of a table by name, in the order in which they are created. */
export type Columns = Readonly<Record<string, ColumnKind>>;

/** A secondary index. */
export interface IndexDefinition<Column extends string = string> {
  readonly columns: readonly Column[];
  readonly unique?: boolean;
}

/**
 * A table. Beside the columns named here every table has `log_position`: the place in the log of the event that the
 * row reflects. The writer keeps it, and it is why an event handled a second time changes nothing.
 */
export interface TableDefinition<Shape extends Columns = Columns, Key extends string = string> {
  readonly columns: Shape;
  readonly primaryKey: readonly Key[];
  readonly indexes: readonly IndexDefinition[];
  /** Columns that others than the projection write as well: a rebuilt table is not compared in them. */
  readonly sharedColumns?: readonly string[];
}

/** Tables by name. */
export type TableDefinitions = Readonly<Record<string, TableDefinition>>;

/** The column that every table has in addition; see {@link TableDefinition}. */
export const positionColumn = "log_position";

/** Defines a table; the primary key and the indexes can only name its columns. */
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
  /** An integer above 2^53 cannot be read back; cents, ids and revisions stay far below. */
  readonly integer: number;
  /** 0 or 1: SQLite has no booleans. */
  readonly boolean: number;
}

type ValueOf<Kind, Values> = Kind extends `${infer Base extends keyof Values & string}?`
  ? Values[Base] | null
  : Kind extends keyof Values
    ? Values[Kind]
    : never;

/** A whole row as a handler writes it: every column is named, so a forgotten one does not compile. */
export type NewRow<Table extends TableDefinition> = {
  readonly [Column in keyof Table["columns"]]: ValueOf<Table["columns"][Column], WrittenValues>;
};

/** The primary key of one row. */
export type RowKey<Table extends TableDefinition> = Pick<NewRow<Table>, Table["primaryKey"][number]>;

/** Some columns of a row with their new values; the primary key never changes. */
export type RowChanges<Table extends TableDefinition> = Partial<
  Omit<NewRow<Table>, Table["primaryKey"][number]>
>;

/** A row as a query reads it. */
export type Row<Table extends TableDefinition> = {
  readonly [Column in keyof Table["columns"]]: ValueOf<Table["columns"][Column], ReadValues>;
};

/** The tables as Kysely sees them: `openReadModels<Schema<typeof accountTables>>`. */
export type Schema<Tables extends TableDefinitions> = {
  readonly [Name in keyof Tables]: Row<Tables[Name]> & { readonly [positionColumn]: number };
};
