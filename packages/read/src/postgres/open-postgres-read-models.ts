import { Mutex } from "@hostledger/runtime/async";
import {
  cannotBeAsked,
  findsNoTable,
  postgresSentence,
  PostgresSession,
  PostgresSessions,
  shownAddress,
} from "@hostledger/runtime/postgres";
import {
  CompiledQuery,
  type DatabaseIntrospector,
  Kysely,
  type PostgresCursor,
  PostgresDialect,
  type PostgresDialectConfig,
  type PostgresPool,
  type PostgresQueryResult,
  type SchemaMetadata,
  sql,
  type TableMetadata,
} from "kysely";
import pg from "pg";

import { messageOf, ReadModelError } from "../errors.ts";
import { prepareQuery, type ReadConnection } from "../prepared-query.ts";
import type { ReadModelDatabase } from "../read-model-database.ts";
import { readonlyKysely } from "../readonly-kysely.codec.ts";
import { Checkpoints } from "../storage/checkpoints.ts";
import { type Bookkeeping, claim, migrate } from "../storage/migrations.ts";
import type { Dialect } from "../storage/engine.port.ts";
import { allEnded } from "../projector/side-by-side.ts";
import type { ProjectionStorage } from "../storage/storage.port.ts";
import { StoppedStreams } from "../storage/stopped-streams.ts";
import { TableSet } from "../storage/table-set.ts";
import { SessionOwnership } from "./session-ownership.ts";
import { hashOf, lockKey } from "./naming.ts";
import { encodeNews } from "./news.ts";
import { connectionConfig, isPostgresFailure, PostgresConnection } from "./postgres-connection.ts";
import { PostgresRowWriter } from "./postgres-row-writer.adapter.ts";
import { createTableSql } from "./table-sql.ts";
import { ReadModelNotBuiltError, ReadModelUnavailableError } from "../unavailable.errors.ts";

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

/** Lists the tables of one schema. Kysely's own introspection fails if another process renames a table meanwhile. */
class OwnSchemaDialect extends PostgresDialect {
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

type Asked = Pick<PostgresSession, "query" | "close">;

/** SQLSTATEs of an unusable plan: the table has other columns now, or an earlier query failed to prepare it. */
const unplanned = new Set(["0A000", "26000"]);

/** Throws a failed query's error, converted to our own error unless the query is at fault. */
function refuse(error: unknown): never {
  if (findsNoTable(error)) throw new ReadModelNotBuiltError(messageOf(error), { cause: error });
  if (cannotBeAsked(error)) throw new ReadModelUnavailableError(messageOf(error), { cause: error });
  throw error;
}

/** Creates the connection for prepared queries. @throws ReadModelNotBuiltError, ReadModelUnavailableError */
function readingOn(sessions: Asked): ReadConnection {
  const run = async <Row>({ sql: text, parameters }: CompiledQuery<Row>): Promise<Row[]> => {
    const values = parameters.map((value) => (typeof value === "boolean" ? Number(value) : value));
    const ask = async (name: { readonly name?: string }): Promise<Row[]> =>
      (await sessions.query<Row & pg.QueryResultRow>({ ...name, text, values })).rows;
    try {
      return await ask({ name: hashOf(text) });
    } catch (error) {
      const isUnplanned = error instanceof pg.DatabaseError && unplanned.has(error.code ?? "");
      return isUnplanned ? ask({}).catch(refuse) : refuse(error);
    }
  };
  return { rows: run, firstRow: async (query) => (await run(query))[0] };
}

/** Wraps sessions and converts their errors. Refuses transactions, because queries share the sessions. */
function questionsTo(sessions: Asked): Asked {
  return {
    query: async <Row extends pg.QueryResultRow>(statement: pg.QueryConfig) => {
      if (/^(begin|start transaction)/iu.test(statement.text))
        throw new ReadModelError(
          "read models in PostgreSQL are asked one question at a time, without transactions",
        );
      return sessions.query<Row>(statement).catch(refuse);
    },
    close: () => sessions.close(),
  };
}

/** Adapts sessions for Kysely. A Kysely transaction needs a session that no other query uses. */
function kyselyPool(sessions: Asked): PostgresPool {
  function query<Row>(text: string, values: readonly unknown[]): Promise<PostgresQueryResult<Row>>;
  function query<Row>(cursor: PostgresCursor<Row>): PostgresCursor<Row>;
  function query(text: string | PostgresCursor<unknown>, values: readonly unknown[] = []): unknown {
    if (typeof text !== "string") throw new ReadModelError("read models are read in pages, not streamed");
    return sessions.query({ text, values: [...values] });
  }
  const client = {
    query,
    release: () => {
      // The client was never reserved, so there is nothing to release.
    },
  };
  return { options: {}, end: () => sessions.close(), connect: () => Promise.resolve(client) };
}
