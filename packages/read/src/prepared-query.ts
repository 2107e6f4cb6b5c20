import { sql, type Compilable, type CompiledQuery, type Expression } from "kysely";

/** The parameters of a prepared query by name. Write the type as a literal: an interface has no index signature. */
export type NamedValues = Readonly<Record<string, unknown>>;

/** Makes a placeholder for a value of a prepared query: `where("id", "=", parameter("id"))`. */
export type ParameterOf<Parameters extends NamedValues> = <Name extends keyof Parameters & string>(
  name: Name,
) => Expression<Parameters[Name]>;

/** A query compiled once, at its first use. */
export interface PreparedQuery<Parameters extends NamedValues, Row> {
  /** Returns all rows. Use a `limit` if there may be many. */
  all(parameters: Parameters): Promise<Row[]>;
  /** Returns the first row; undefined if there is none. */
  first(parameters: Parameters): Promise<Row | undefined>;
}

export interface ReadConnection {
  rows<Row>(query: CompiledQuery<Row>): Promise<Row[]>;
  firstRow<Row>(query: CompiledQuery<Row>): Promise<Row | undefined>;
}

/** Compiles the query of `build`; see `ReadModelDatabase.prepared`. */
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

/** The placeholder of a parameter among the values of a compiled query. */
class Placeholder {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}
