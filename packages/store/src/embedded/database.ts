import { DatabaseSync } from "node:sqlite";

import { isDamaged } from "@hostledger/runtime/sqlite-code";

import { EventStoreFailedError } from "../event-store-failed.error.ts";

/** Identifies the file as ours in SQLite's header: the bytes "HLes". */
const applicationId = 0x484c6573;

/** Format version. A higher one was written by a newer Hostledger, with events that this version may not read. */
const formatVersion = 1;

const schema = `
  CREATE TABLE streams (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE
  ) STRICT;
  CREATE TABLE events (
    position INTEGER PRIMARY KEY,
    stream_id INTEGER NOT NULL,
    revision INTEGER NOT NULL,
    id TEXT NOT NULL,
    type TEXT NOT NULL,
    time TEXT NOT NULL,
    data TEXT NOT NULL,
    metadata TEXT NOT NULL,
    UNIQUE (stream_id, revision)
  ) STRICT;
  PRAGMA application_id = ${String(applicationId)};
  PRAGMA user_version = ${String(formatVersion)};
`;

/**
 * Settings of the writing connection. FULL syncs the write-ahead log in every COMMIT, so that an answered append survives
 * a power cut; `fullfsync` makes macOS flush the drive's cache too. A checkpoint every 1,000 pages (4 MiB) lets the log
 * be overwritten from its start, because syncing a file that does not grow is a third faster.
 */
const writerSettings = `
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = FULL;
  PRAGMA fullfsync = ON;
  PRAGMA checkpoint_fullfsync = ON;
  PRAGMA wal_autocheckpoint = 1000;
  PRAGMA journal_size_limit = 67108864;
  PRAGMA cache_size = -32768;
`;

/** Time that a connection waits for the other's short locks (recovery, checkpoint), in milliseconds. */
const busyTimeoutMilliseconds = 5_000;

/**
 * Opens the writing connection and creates the store if the file is new or empty. After a crash SQLite replays its
 * write-ahead log here.
 * @throws EventStoreFailedError with one sentence: foreign, newer, damaged or unreachable file.
 */
export function openForWriting(path: string): DatabaseSync {
  return opening(path, () => {
    const database = new DatabaseSync(path, { timeout: busyTimeoutMilliseconds });
    try {
      const isNew = inspect(database, path);
      database.exec(writerSettings);
      if (isNew) database.exec(`BEGIN IMMEDIATE; ${schema} COMMIT;`);
      return database;
    } catch (error) {
      database.close();
      throw error;
    }
  });
}

/** Opens the reading connection of a store that the writer has opened. @throws EventStoreFailedError */
export function openForReading(path: string): DatabaseSync {
  return opening(path, () => new DatabaseSync(path, { readOnly: true, timeout: busyTimeoutMilliseconds }));
}

/** Returns true if the file is empty and must become a store. Changes nothing, so a foreign file stays as it is. */
export function inspect(database: DatabaseSync, path: string): boolean {
  const { application, version, tables } = database
    .prepare(
      `SELECT application_id AS application, user_version AS version, (SELECT count(*) FROM sqlite_schema) AS tables
       FROM pragma_application_id, pragma_user_version`,
    )
    .get() ?? { application: 0, version: 0, tables: 0 };
  if (application === 0 && version === 0 && tables === 0) return true;
  if (application !== applicationId) {
    throw new EventStoreFailedError(
      `${path} is a SQLite file of another program, not a Hostledger event store`,
    );
  }
  if (version !== formatVersion) {
    throw new EventStoreFailedError(
      `${path} has the event store format ${String(version)}, this version of Hostledger knows format ${String(formatVersion)}: use the version that wrote it`,
    );
  }
  return false;
}

/** Runs a step of opening, and names the file's path in its errors. @throws EventStoreFailedError */
export function opening<T>(path: string, open: () => T): T {
  try {
    return open();
  } catch (error) {
    if (error instanceof EventStoreFailedError) throw error;
    throw new EventStoreFailedError(`the event store ${path} cannot be opened: ${failureOf(error)}`, {
      cause: error,
    });
  }
}

/** Describes a failure of the file, and says what to do about a damaged one. */
export function failureOf(error: unknown): string {
  return isDamaged(error)
    ? `${messageOf(error)}; restore it from a backup (docs/backup.md)`
    : messageOf(error);
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
