import { Kysely, SqliteAdapter, SqliteDialect, type SqliteDatabase } from "kysely";

import { ReadModelError } from "../errors.ts";
import { toSqlValue, type SqliteConnection } from "./sqlite-connection.ts";

/** Kysely over `node:sqlite`: its SQLite dialect, fed with this package's connection and its prepared statements. */
export function kyselyOn<Schema>(connection: SqliteConnection): Kysely<Schema> {
  return new Kysely<Schema>({ dialect: new NodeSqliteDialect({ database: asKyselyDatabase(connection) }) });
}

/** Kysely turns transactional DDL off for SQLite, which has it; a migration that dies half-way must leave nothing. */
class NodeSqliteDialect extends SqliteDialect {
  override createAdapter(): SqliteAdapter {
    return new TransactionalDdlAdapter();
  }
}

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
