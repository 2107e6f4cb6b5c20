import { sql, type Compilable, type CompiledQuery, type Expression } from "kysely";

/** The parameters of a prepared query by name. Write the type as a literal: an interface has no index. */
export type NamedValues = Readonly<Record<string, unknown>>;

/** Stands for a value of a prepared query while it is built: `where("id", "=", parameter("id"))`. */
export type ParameterOf<Parameters extends NamedValues> = <Name extends keyof Parameters & string>(
  name: Name,
) => Expression<Parameters[Name]>;

/** A query compiled once, at its first use. On SQLite the answer is there at once: a point query is over in microseconds. */
export interface PreparedQuery<Parameters extends NamedValues, Row> {
  /** All rows. Build a `limit` in where they could be many. */
  all(parameters: Parameters): Promise<Row[]>;
  /** The first row, or undefined when there is none. */
  first(parameters: Parameters): Promise<Row | undefined>;
}

/** Where prepared queries read. */
export interface ReadConnection {
  rows<Row>(query: CompiledQuery<Row>): Promise<Row[]>;
  firstRow<Row>(query: CompiledQuery<Row>): Promise<Row | undefined>;
}

/** Compiles what `build` returns; see `ReadModelDatabase.prepared`. */
export function prepareQuery<Parameters extends NamedValues, Row>(
  connection: ReadConnection,
  build: (parameter: ParameterOf<Parameters>) => Compilable<Row>,
): PreparedQuery<Parameters, Row> {
  let compiled: CompiledQuery<Row> | undefined;
  const bind = (values: Parameters): CompiledQuery<Row> => {
    compiled ??= build((name) => sql`${new Placeholder(name)}`).compile();
    const parameters = compiled.parameters.map((value) =>
      value instanceof Placeholder ? values[value.name] : value,
    );
    return { ...compiled, parameters };
  };
  return {
    all: (values) => connection.rows(bind(values)),
    first: (values) => connection.firstRow(bind(values)),
  };
}

/** Marks, among the values of a compiled query, the one that takes a parameter's place. */
class Placeholder {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}
