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

/** Kysely over `node:sqlite`: its SQLite dialect, fed with this package's connection and its prepared statements. */
export function kyselyOn<Schema>(connection: SqliteConnection): Kysely<Schema> {
  return new Kysely<Schema>({ dialect: new NodeSqliteDialect({ database: asKyselyDatabase(connection) }) });
}

/** The names of all tables of a file. */
export const allTables = sql<{ readonly name: string }>`select name from sqlite_master where type = 'table'`;

class NodeSqliteDialect extends SqliteDialect {
  override createAdapter(): SqliteAdapter {
    return new TransactionalDdlAdapter();
  }

  /** Which tables there are: Kysely's own look asks about the columns of each one, at every start, and nobody here reads them. */
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

/** Kysely turns transactional DDL off for SQLite, which has it; a migration that dies half-way must leave nothing. */
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
    // The connection has an owner who closes it.
    close: () => undefined,
  };
}
