import {
  Kysely,
  sql,
  SqliteAdapter,
  SqliteDialect,
  type DatabaseIntrospector,
  type SqliteDatabase,
  type TableMetadata,
} from "kysely";

import { ReadModelError } from "../errors.ts";
import { toSqlValue, type SqliteConnection } from "./sqlite-connection.ts";

/** Creates Kysely for `node:sqlite`, on this package's connection and its prepared statements. */
export function kyselyOn<Schema>(connection: SqliteConnection): Kysely<Schema> {
  return new Kysely<Schema>({ dialect: new NodeSqliteDialect({ database: asKyselyDatabase(connection) }) });
}

/** Selects the names of all tables of a file. */
export const allTables = sql<{ readonly name: string }>`select name from sqlite_master where type = 'table'`;

class NodeSqliteDialect extends SqliteDialect {
  override createAdapter(): SqliteAdapter {
    return new TransactionalDdlAdapter();
  }

  /** Lists the tables without their columns, because Kysely's own introspection queries every table at each start. */
  override createIntrospector<Tables>(db: Kysely<Tables>): DatabaseIntrospector {
    return {
      getSchemas: () => Promise.resolve([]),
      async getTables(): Promise<TableMetadata[]> {
        const found = await allTables.execute(db);
        return found.rows.map(({ name }) => ({ name, isView: false, isForeign: false, columns: [] }));
      },
    };
  }
}

/** Enables transactional DDL, which Kysely disables for SQLite. A migration that crashes must leave no changes. */
class TransactionalDdlAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

function asKyselyDatabase(connection: SqliteConnection): SqliteDatabase {
  return {
    prepare: (sql) => {
      const { statement, returnsRows } = connection.prepare(sql);
      return {
        reader: returnsRows,
        all: (parameters) => statement.all(...parameters.map(toSqlValue)),
        run: (parameters) => statement.run(...parameters.map(toSqlValue)),
        iterate: () => {
          throw new ReadModelError("read models are read in pages, not streamed");
        },
      };
    },
    // The connection's owner closes it.
    close: () => undefined,
  };
}
