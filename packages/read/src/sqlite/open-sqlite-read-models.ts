import { existsSync, renameSync, rmSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";

import { isDamaged, type Logger } from "@hostledger/runtime";
import { afterThisTurn, Mutex } from "@hostledger/runtime/async";

import { messageOf, ReadModelError } from "../errors.ts";
import { prepareQuery, type ReadConnection } from "../prepared-query.ts";
import type { ReadModelDatabase } from "../read-model-database.ts";
import { readonlyKysely } from "../readonly-kysely.codec.ts";
import { Checkpoints } from "../storage/checkpoints.ts";
import { type Bookkeeping, claim, migrate } from "../storage/migrations.ts";
import type { WriteConnection } from "../storage/engine.port.ts";
import { allEnded } from "../projector/side-by-side.ts";
import type { ProjectionStorage } from "../storage/storage.port.ts";
import { StoppedStreams } from "../storage/stopped-streams.ts";
import { TableSet } from "../storage/table-set.ts";
import { ReadModelNotBuiltError } from "../unavailable.errors.ts";
import { kyselyOn } from "./node-sqlite.dialect.ts";
import { isDatabaseFailure, SqliteConnection, toSqlValue } from "./sqlite-connection.ts";
import { sqliteDialect } from "./sqlite-storage.dialect.ts";
import { decodeRows } from "./write-channel.codec.ts";
import { openForWriting, WriteSession, type Writing } from "./write-session.ts";
import { ThreadWriting, WriteThreadEndedError } from "./write-thread.ts";

/**
 * Opens or creates a SQLite file, which a separate thread writes (ADR 0008).
 *
 * @throws ReadModelError if the file is not a database, is not writable, or belongs to another service or a newer version.
 */
export async function openSqliteReadModels<Tables>(
  path: string,
  service: string,
  logger?: Pick<Logger, "error">,
): Promise<ReadModelDatabase<Tables>> {
  setDamagedAside(path, logger);
  await prepareFile(path, service);
  // Kysely opens its own transactions, so prepared queries use a second connection with one transaction per turn.
  const [reader, hotReader] = [openReader(path), openReader(path)];
  const snapshot = new TurnSnapshot(hotReader);
  const writing = new ThreadWriting(path, () => {
    snapshot.end();
  });
  const reading = readingOn(hotReader, snapshot);
  const queries = readonlyKysely(kyselyOn<Tables>(reader));
  return {
    queries,
    prepared: (build) => prepareQuery(reading, (parameter) => build(queries, parameter)),
    storage: storageOn({ place: path, service }, writing, reader),
    close: async () => {
      await queries.destroy();
      await writing.close();
      snapshot.end();
      for (const each of [hotReader, reader]) each.close();
    },
  };
}

/** Opens tables in memory for temporary rows, which no other connection reads. */
export function openRowsInMemory<Tables>(): ReadModelDatabase<Tables> {
  const connection = new SqliteConnection(":memory:");
  const queries = readonlyKysely(kyselyOn<Tables>(connection));
  return {
    queries,
    prepared: (build) => prepareQuery(readingOn(connection), (parameter) => build(queries, parameter)),
    storage: storageOn({ place: "memory", service: "memory" }, writingHere(connection), connection),
    close: async () => {
      await queries.destroy();
      connection.close();
    },
  };
}

async function prepareFile(path: string, service: string): Promise<void> {
  let connection: SqliteConnection;
  try {
    connection = openForWriting(path);
  } catch (error) {
    throw new ReadModelError(`${path} cannot be used as a read-model database: ${messageOf(error)}`, {
      cause: error,
    });
  }
  const bookkeeping = kyselyOn<Bookkeeping>(connection);
  try {
    await migrate({ db: bookkeeping, place: path, positionType: "integer" });
    await claim(bookkeeping, path, service);
  } finally {
    await bookkeeping.destroy();
    connection.close();
  }
}

function openReader(path: string): SqliteConnection {
  return new SqliteConnection(path, { readOnly: true, unprepared: notBuilt });
}

/** Converts the error of a missing table or column, because the tables may have another version. */
function notBuilt(error: unknown): unknown {
  return error instanceof Error && /^no such (?:table|column)/.test(error.message)
    ? new ReadModelNotBuiltError(error.message, { cause: error })
    : error;
}

function readingOn(reader: SqliteConnection, snapshot?: TurnSnapshot): ReadConnection {
  const reading = <Result>(read: () => Result): Promise<Result> =>
    Promise.try(() => {
      snapshot?.begin();
      return read();
    });
  return {
    rows: (query) => reading(() => reader.rows(query)),
    firstRow: (query) => reading(() => reader.firstRow(query)),
  };
}

/** Writes synchronously on the calling thread. */
function writingHere(connection: SqliteConnection): Writing {
  const session = new WriteSession(connection);
  return {
    ask: (request) => Promise.try(() => session.carryOut(request)),
    close: () =>
      Promise.try(() => {
        session.close();
      }),
  };
}

export function connectionOn(writing: Writing): WriteConnection {
  return {
    rows: async ({ sql, parameters }) =>
      decodeRows(await writing.ask({ kind: "rows", sql, parameters: parameters.map(toSqlValue) })),
    run: async ({ sql, parameters }) => {
      await writing.ask({ kind: "run", sql, parameters: parameters.map(toSqlValue) });
    },
    execute: async (sql) => {
      await writing.ask({ kind: "execute", sql });
    },
    close: () => writing.close(),
  };
}

/** Creates the projector's storage on a SQLite file. @param compiling connection for compiling only; executes nothing. */
function storageOn(
  { place, service }: Pick<ProjectionStorage, "place" | "service">,
  writing: Writing,
  compiling: SqliteConnection,
): ProjectionStorage {
  const connection = connectionOn(writing);
  const compiler = kyselyOn<unknown>(compiling);
  const bookkeeping = kyselyOn<Bookkeeping>(compiling);
  const dialect = sqliteDialect({ place, connection, writing, compiler });
  const mutex = new Mutex();
  return {
    place,
    service,
    connection,
    compiler,
    dialect,
    checkpoints: new Checkpoints(connection, bookkeeping),
    stoppedStreams: new StoppedStreams(connection, bookkeeping),
    // Only this process uses the file; the operator ensures that.
    ownership: {
      isHeld: true,
      lost: new AbortController().signal,
      tryAcquire: () => Promise.resolve(true),
      untilNews: () => Promise.resolve(undefined),
      // There are no other processes.
      announceAwaited: () => undefined,
      onAwaited: () => undefined,
    },
    isWatched: false,
    tables: (definitions, suffix) => new TableSet({ connection, compiler, dialect }, definitions, suffix),
    exclusively: (work) => mutex.run(work),
    apart: (work) => work(),
    async transaction(work, ending) {
      try {
        const begun = writing.ask({ kind: "begin" });
        // If `work` throws at once, nothing awaits this promise, and nothing may be committed.
        begun.catch(() => undefined);
        const worked = work();
        if (ending === undefined) await allEnded([begun, worked]);
        // The write thread gets these requests in one message, so an earlier failure prevents the commit.
        const ended = allEnded([
          ...(ending === undefined ? [] : [ending()]),
          writing.ask({ kind: "commit" }),
        ]);
        // Reports the earliest failure first.
        await allEnded([begun, worked, ended.catch(() => undefined)]);
        await ended;
        return await worked;
      } catch (error) {
        await writing.ask({ kind: "rollback" }).catch(() => undefined);
        throw error;
      }
    },
    announce: () => Promise.resolve(),
    isDatabaseFailure: (error) => error instanceof WriteThreadEndedError || isDatabaseFailure(error),
  };
}

/** Opens one read transaction for all queries of an event loop turn, because locking costs more than finding a row. */
class TurnSnapshot {
  readonly #connection: SqliteConnection;
  #isOpen = false;

  /** @param connection exclusive to this snapshot, because all its queries between two calls belong to the snapshot. */
  constructor(connection: SqliteConnection) {
    this.#connection = connection;
  }

  begin(): void {
    if (this.#isOpen) return;
    this.#connection.execute("begin");
    this.#isOpen = true;
    afterThisTurn(() => {
      this.end();
    });
  }

  /** Call before each write, so that later queries of the turn see the written rows. */
  end(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    // A read transaction has nothing to commit.
    this.#connection.execute("rollback");
  }
}

/** Endings of a database's file names. */
const parts = ["", "-wal", "-shm"];

/** Ending of a damaged file's name. A later damaged file of the read model replaces the earlier one. */
const asideEnding = ".damaged";

/** Renames a damaged read-model file, so that the process can start and rebuild the tables from the events. */
function setDamagedAside(path: string, logger: Pick<Logger, "error"> | undefined): void {
  const damage = existsSync(path) ? damageIn(path) : undefined;
  if (damage === undefined) return;
  const aside = `${path}${asideEnding}`;
  for (const part of parts) {
    rmSync(`${aside}${part}`, { force: true });
    if (existsSync(`${path}${part}`)) renameSync(`${path}${part}`, `${aside}${part}`);
  }
  logger?.error({ path, aside, damage }, "a damaged read-model file was set aside, and is built anew");
}

/** Returns SQLite's report about damaged pages; undefined if there is none, or if the file cannot be opened at all. */
function damageIn(path: string): string | undefined {
  try {
    const file = new DatabaseSync(path);
    try {
      const { quick_check: found } = file.prepare("PRAGMA quick_check(1)").get() ?? {};
      return found === "ok" ? undefined : String(found);
    } finally {
      file.close();
    }
  } catch (error) {
    return isDamaged(error) ? messageOf(error) : undefined;
  }
}
