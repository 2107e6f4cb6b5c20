import {
  PostgresDialect,
  sql,
  type DatabaseIntrospector,
  type Kysely,
  type PostgresDialectConfig,
  type SchemaMetadata,
  type TableMetadata,
} from "kysely";

/** Lists the tables of one schema. Kysely's own introspection fails if another process renames a table meanwhile. */
export class OwnSchemaDialect extends PostgresDialect {
  readonly #schema: string;

  constructor(config: PostgresDialectConfig, schema: string) {
    super(config);
    this.#schema = schema;
  }

  override createIntrospector<Tables>(db: Kysely<Tables>): DatabaseIntrospector {
    const schema = this.#schema;
    return {
      async getSchemas(): Promise<SchemaMetadata[]> {
        const found = await sql<SchemaMetadata>`
          select nspname as name from pg_catalog.pg_namespace where nspname = ${schema}`.execute(db);
        return found.rows;
      },

      async getTables(): Promise<TableMetadata[]> {
        const found = await sql<{ readonly name: string }>`
          select tablename as name from pg_catalog.pg_tables where schemaname = ${schema}`.execute(db);
        return found.rows.map(({ name }) => ({ name, schema, isView: false, isForeign: false, columns: [] }));
      },
    };
  }
}
