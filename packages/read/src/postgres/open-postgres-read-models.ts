import { Mutex } from "@hostledger/runtime/async";
import {
  postgresSentence,
  PostgresSession,
  PostgresSessions,
  shownAddress,
} from "@hostledger/runtime/postgres";
import { CompiledQuery, Kysely, PostgresDialect } from "kysely";

import { ReadModelError } from "../errors.ts";
import { prepareQuery } from "../prepared-query.ts";
import type { ReadModelDatabase } from "../read-model-database.ts";
import { readonlyKysely } from "../readonly-kysely.codec.ts";
import { Checkpoints } from "../storage/checkpoints.ts";
import { claim, migrate, type Bookkeeping } from "../storage/migrations.ts";
import type { Dialect } from "../storage/engine.port.ts";
import { allEnded } from "../projector/side-by-side.ts";
import type { ProjectionStorage } from "../storage/storage.port.ts";
import { StoppedStreams } from "../storage/stopped-streams.ts";
import { TableSet } from "../storage/table-set.ts";
import { SessionOwnership } from "./session-ownership.ts";
import { hashOf, lockKey } from "./naming.ts";
import { encodeNews } from "./news.ts";
import { OwnSchemaDialect } from "./own-schema.dialect.ts";
import { connectionConfig, isPostgresFailure, PostgresConnection } from "./postgres-connection.ts";
import { kyselyPool, questionsTo, readingOn } from "./postgres-reading.ts";
import { PostgresRowWriter } from "./postgres-row-writer.adapter.ts";
import { createTableSql } from "./table-sql.ts";

/** Maximum reading connections of a process; simultaneous queries share them. */
const readers = 3;

/** Forces index scans, because cached plans from small tables would scan large ones and their dead rows. */
const byIndex =
  "-c enable_seqscan=off -c enable_bitmapscan=off -c enable_hashjoin=off -c enable_mergejoin=off";

/**
 * Opens or creates a service's schema in a PostgreSQL database. Several processes may do so at once; one of them owns the
 * tables.
 *
 * @throws ReadModelError if the database is unreachable or refuses access, or belongs to another service or a newer
 *   version.
 */
export async function openPostgresReadModels<Tables>(
  url: string,
  service: string,
): Promise<ReadModelDatabase<Tables>> {
  const place = `${shownAddress(url)}, schema ${service}`;
  const connection = new PostgresConnection(connectionConfig(url, service, byIndex));
  const sessions = new PostgresSessions(
    connectionConfig(
      url,
      service,
      // A read transaction sees one snapshot, as in SQLite.
      `-c default_transaction_read_only=on -c default_transaction_isolation=repeatable\\ read ${byIndex}`,
    ),
    readers,
  );
  try {
    await prepareSchema(url, service, place);
  } catch (error) {
    await sessions.close();
    if (error instanceof ReadModelError) throw error;
    throw new ReadModelError(`The read-model database at ${place}: ${postgresSentence(error)}.`, {
      cause: error,
    });
  }
  const dialect = new PostgresDialect({ pool: kyselyPool(questionsTo(sessions)) });
  const queries = readonlyKysely(new Kysely<Tables>({ dialect }));
  return {
    queries,
    prepared: (build) => prepareQuery(readingOn(sessions), (parameter) => build(queries, parameter)),
    storage: storageOn(place, service, connection, dialect),
    close: async () => {
      await sessions.close();
      await connection.close();
    },
  };
}

/** Creates the schema and its bookkeeping tables, under an advisory lock. */
async function prepareSchema(url: string, service: string, place: string): Promise<void> {
  const pool = kyselyPool(new PostgresSession(connectionConfig(url, service)));
  const db = new Kysely<Bookkeeping>({ dialect: new OwnSchemaDialect({ pool }, service) });
  const key = lockKey(`schema ${service}`);
  try {
    await db.connection().execute(async (connected) => {
      await connected.executeQuery(CompiledQuery.raw("select pg_advisory_lock($1)", [key]));
      await connected.schema.createSchema(service).ifNotExists().execute();
    });
    await migrate({ db, place, schema: service, positionType: "bigint" });
    await claim(db, place, service);
  } finally {
    // The lock ends with the session.
    await db.destroy();
  }
}

function storageOn(
  place: string,
  service: string,
  connection: PostgresConnection,
  compiling: PostgresDialect,
): ProjectionStorage {
  // These Kysely instances only compile queries.
  const compiler = new Kysely<unknown>({ dialect: compiling });
  const bookkeeping = new Kysely<Bookkeeping>({ dialect: compiling });
  const dialect = dialectOn(connection, service);
  const writing = new Mutex();
  const channel = `hostledger_${service}`;
  return {
    place,
    service,
    connection,
    compiler,
    dialect,
    checkpoints: new Checkpoints(connection, bookkeeping),
    stoppedStreams: new StoppedStreams(connection, bookkeeping),
    ownership: new SessionOwnership(connection, service, channel),
    isWatched: true,
    tables: (definitions, suffix) => new TableSet({ connection, compiler, dialect }, definitions, suffix),
    exclusively: (work) => writing.run(work),
    async transaction(work, ending) {
      // Check first: a session without ownership may send reading statements, some of which write.
      connection.refuseStranger();
      try {
        // Sends the first statements with `begin` and the last ones with `commit`, which saves two round trips.
        const worked = connection.together(() => [connection.execute("begin"), Promise.try(work)] as const);
        await allEnded(worked);
        await allEnded(
          connection.together(() => [
            ...(ending === undefined ? [] : [ending()]),
            connection.execute("commit"),
          ]),
        );
        return await worked[1];
      } catch (error) {
        // A broken connection is already rolled back, and a new one has no transaction.
        if (connection.isOpen) await connection.execute("rollback").catch(() => undefined);
        throw error;
      }
    },
    apart: (work) => connection.together(work),
    announce: (advances) =>
      connection.run(CompiledQuery.raw("select pg_notify($1, $2)", [channel, encodeNews(advances)])),
    isDatabaseFailure: isPostgresFailure,
  };
}

function dialectOn(connection: PostgresConnection, schema: string): Dialect {
  return {
    createTable: createTableSql,
    indexName: (table, columns, generation) =>
      `${table}_${hashOf(columns.join()).slice(0, 8)}_g${String(generation)}`,
    async tableNames() {
      const text = "select tablename as name from pg_tables where schemaname = $1";
      const rows = await connection.rows<{ name: string }>({ ...CompiledQuery.raw(text, [schema]) });
      return rows.map(({ name }) => name);
    },
    async createIndexes(statements) {
      for (const statement of statements) await connection.execute(statement);
    },
    writer: (definitions, physicalName) => new PostgresRowWriter(connection, definitions, physicalName),
  };
}
