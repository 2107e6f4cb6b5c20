import { Mutex } from "@hostledger/runtime/async";
import type { Kysely } from "kysely";

import { messageOf, ReadModelError } from "../errors.ts";
import { prepareQuery, type ReadConnection } from "../prepared-query.ts";
import type { ReadModelDatabase } from "../read-model-database.ts";
import { readonlyKysely } from "../readonly-kysely.codec.ts";
import { Checkpoints } from "../storage/checkpoints.ts";
import { claim, migrate, type Bookkeeping } from "../storage/migrations.ts";
import type { WriteConnection } from "../storage/engine.port.ts";
import type { ProjectionStorage } from "../storage/storage.port.ts";
import { TableSet } from "../storage/table-set.ts";
import { kyselyOn } from "./node-sqlite.dialect.ts";
import { isDatabaseFailure, SqliteConnection } from "./sqlite-connection.ts";
import { sqliteDialect } from "./sqlite-storage.dialect.ts";
import { TurnSnapshot } from "./turn-snapshot.ts";

/**
 * Opens or makes a SQLite file. WAL, `synchronous=NORMAL`: after a power cut it is consistent but may be a little behind,
 * which the projector makes good from the log.
 *
 * @throws ReadModelError the file cannot be used: not a database, another service's, a newer version's, not writable.
 */
export async function openSqliteReadModels<Tables>(
  path: string,
  service: string,
): Promise<ReadModelDatabase<Tables>> {
  let snapshot: TurnSnapshot | undefined;
  const connection = openWriter(path, () => {
    snapshot?.end();
  });
  try {
    const bookkeeping = kyselyOn<Bookkeeping>(connection);
    await migrate({ db: bookkeeping, place: path, positionType: "integer" });
    await claim(bookkeeping, path, service);
    // Kysely may begin a transaction on its own; queries of hot paths have a connection whose transactions are the turns'.
    const [reader, hotReader] = [openReader(path), openReader(path)];
    snapshot = new TurnSnapshot(hotReader);
    const reading = readingOn(hotReader, snapshot);
    const queries = readonlyKysely(kyselyOn<Tables>(reader));
    return {
      queries,
      prepared: (build) => prepareQuery(reading, (parameter) => build(queries, parameter)),
      storage: storageOn({ place: path, service }, connection, bookkeeping),
      close: async () => {
        await queries.destroy();
        await bookkeeping.destroy();
        snapshot?.end();
        for (const each of [hotReader, reader, connection]) each.close();
      },
    };
  } catch (error) {
    connection.close();
    throw error;
  }
}

/** Tables for the rows of a moment: nothing is kept, and no other connection reads them. */
export function openRowsInMemory<Tables>(): ReadModelDatabase<Tables> {
  const connection = new SqliteConnection(":memory:");
  const queries = readonlyKysely(kyselyOn<Tables>(connection));
  return {
    queries,
    prepared: (build) => prepareQuery(readingOn(connection), (parameter) => build(queries, parameter)),
    storage: storageOn({ place: "memory", service: "memory" }, connection, kyselyOn<Bookkeeping>(connection)),
    close: async () => {
      await queries.destroy();
      connection.close();
    },
  };
}

function openReader(path: string): SqliteConnection {
  return new SqliteConnection(path, { readOnly: true });
}

function openWriter(path: string, beforeUse: () => void): SqliteConnection {
  let connection: SqliteConnection | undefined;
  try {
    connection = new SqliteConnection(path, { beforeUse });
    connection.execute("pragma journal_mode = wal");
    connection.execute("pragma synchronous = normal");
    // What is overwritten or dropped is zeroed: a row may have held a name.
    connection.execute("pragma secure_delete = on");
    connection.execute("pragma temp_store = memory");
    // Without views and triggers a table's new name concerns nothing else, and SQLite need not look through the whole schema.
    connection.execute("pragma legacy_alter_table = on");
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

function readingOn(reader: SqliteConnection, snapshot?: TurnSnapshot): ReadConnection {
  const reading = <Result>(read: () => Result): Promise<Result> =>
    attempt(() => {
      snapshot?.begin();
      return read();
    });
  return {
    rows: (query) => reading(() => reader.rows(query)),
    firstRow: (query) => reading(() => reader.firstRow(query)),
  };
}

/** SQLite answers at once; the promises are for engines that do not. */
export function writingOn(connection: SqliteConnection): WriteConnection {
  return {
    rows: (query) => attempt(() => connection.rows(query)),
    run: (query) =>
      attempt(() => {
        connection.run(query);
      }),
    execute: (statement) =>
      attempt(() => {
        connection.execute(statement);
      }),
    forgetStatements: () => {
      connection.forgetStatements();
    },
    close: () =>
      attempt(() => {
        connection.close();
      }),
  };
}

/** What a projector needs of a SQLite file. */
export function storageOn(
  { place, service }: Pick<ProjectionStorage, "place" | "service">,
  sqlite: SqliteConnection,
  bookkeeping: Kysely<Bookkeeping>,
): ProjectionStorage {
  const connection = writingOn(sqlite);
  const compiler = kyselyOn<unknown>(sqlite);
  const dialect = sqliteDialect(place, sqlite, compiler);
  const writing = new Mutex();
  return {
    place,
    service,
    connection,
    compiler,
    dialect,
    checkpoints: new Checkpoints(connection, bookkeeping),
    // The file is this process's alone; whoever starts it sees to that.
    ownership: {
      isHeld: true,
      lost: new AbortController().signal,
      tryAcquire: () => Promise.resolve(true),
      untilNews: () => Promise.resolve(undefined),
      // Nobody else is there.
      tellAwaited: () => undefined,
      hearAwaited: () => undefined,
    },
    isWatched: false,
    tables: (definitions, suffix) => new TableSet({ connection, compiler, dialect }, definitions, suffix),
    exclusively: (work) => writing.run(work),
    apart: (work) => work(),
    transaction: (work, ending) =>
      sqlite.transaction(async () => {
        const result = await work();
        await ending?.();
        return result;
      }),
    announce: () => Promise.resolve(),
    isDatabaseFailure,
  };
}

/** The outcome of something that is over at once. */
function attempt<Result>(work: () => Result): Promise<Result> {
  return new Promise((resolve) => {
    resolve(work());
  });
}
