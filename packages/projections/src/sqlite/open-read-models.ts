import type { Compilable, Kysely } from "kysely";
import type { ReadonlyKysely } from "kysely/readonly";

import { messageOf, ReadModelError } from "../errors.ts";
import { WriteGate } from "./background-ddl.ts";
import { Checkpoints } from "./checkpoints.ts";
import { migrate, type Bookkeeping } from "./migrations.ts";
import { kyselyOn, readonlyKyselyOn } from "./node-sqlite.dialect.ts";
import { prepareQuery, type NamedValues, type ParameterOf, type PreparedQuery } from "./prepared-query.ts";
import { SqliteConnection } from "./sqlite-connection.ts";

/** What the projector needs of the database. Services have no use for it. */
export interface ProjectionStorage {
  readonly path: string;
  /** The one connection that writes. Its transactions are synchronous, so nobody sees half of one. */
  readonly connection: SqliteConnection;
  /** Builds SQL for the writing connection; nothing is executed through it. */
  readonly compiler: Kysely<unknown>;
  readonly checkpoints: Checkpoints;
  /** Await it before a transaction when it is closed. */
  readonly writeGate: WriteGate;
}

/** One service's read models: a SQLite file that one projector writes and many queries read. */
export interface ReadModelDatabase<Tables> {
  /** Queries of any form. Reading happens on a connection of its own: a read transaction is one snapshot. */
  readonly queries: ReadonlyKysely<Tables>;

  /**
   * Compiles a query once, for hot paths. Make it where the service is put together, not for each request.
   *
   * ```ts
   * const domainById = database.prepared((db, parameter: ParameterOf<{ id: number }>) =>
   *   db.selectFrom("domains").selectAll().where("id", "=", parameter("id")));
   * domainById.first({ id: 17 });
   * ```
   */
  prepared<Parameters extends NamedValues, Row>(
    build: (db: ReadonlyKysely<Tables>, parameter: ParameterOf<Parameters>) => Compilable<Row>,
  ): PreparedQuery<Parameters, Row>;

  readonly storage: ProjectionStorage;

  /** Stop the projector first. */
  close(): Promise<void>;
}

/** Where the file is and whose it is. */
export interface ReadModelOptions {
  readonly path: string;
  /** A file made for another service is refused. */
  readonly service: string;
}

/**
 * Opens or makes a service's read-model database. WAL, `synchronous=NORMAL`: after a power cut it is consistent but
 * may be a little behind, which the projector makes good from the log.
 *
 * @throws ReadModelError the file cannot be used: not a database, another service's, a newer version's, not writable.
 */
export async function openReadModels<Tables>(options: ReadModelOptions): Promise<ReadModelDatabase<Tables>> {
  const { path } = options;
  const connection = openWriter(path);
  try {
    const bookkeeping = kyselyOn<Bookkeeping>(connection);
    await migrate(bookkeeping, path);
    await claim(bookkeeping, options);
    const reader = new SqliteConnection(path, { readOnly: true });
    const queries = readonlyKyselyOn<Tables>(reader);
    return {
      queries,
      prepared: (build) => prepareQuery(reader, (parameter) => build(queries, parameter)),
      storage: {
        path,
        connection,
        compiler: kyselyOn<unknown>(connection),
        checkpoints: new Checkpoints(connection, bookkeeping),
        writeGate: new WriteGate(),
      },
      close: async () => {
        await queries.destroy();
        await bookkeeping.destroy();
        reader.close();
        connection.close();
      },
    };
  } catch (error) {
    connection.close();
    throw error;
  }
}

function openWriter(path: string): SqliteConnection {
  let connection: SqliteConnection | undefined;
  try {
    connection = new SqliteConnection(path);
    connection.execute("pragma journal_mode = wal");
    connection.execute("pragma synchronous = normal");
    connection.execute("pragma temp_store = memory");
    // KiB. Enough for the pages that live events touch; a larger one would make a rebuild's memory grow with the log.
    connection.execute("pragma cache_size = -16384");
    return connection;
  } catch (error) {
    connection?.close();
    throw new ReadModelError(`${path} cannot be used as a read-model database: ${messageOf(error)}`, {
      cause: error,
    });
  }
}

/** The first service to open a file owns it. */
async function claim(db: Kysely<Bookkeeping>, { path, service }: ReadModelOptions): Promise<void> {
  const claimed = await db.selectFrom("read_models").select("service").executeTakeFirst();
  if (claimed === undefined) await db.insertInto("read_models").values({ service }).execute();
  else if (claimed.service !== service) {
    throw new ReadModelError(`${path} belongs to the service ${claimed.service}, not to ${service}`);
  }
}
