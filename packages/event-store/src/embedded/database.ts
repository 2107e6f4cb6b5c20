import { DatabaseSync } from "node:sqlite";

import { EventStoreFailedError } from "../event-store-failed.error.ts";

/** Marks the file as ours in SQLite's header: the bytes "HLes". */
const applicationId = 0x484c6573;

/** The file's format. A higher one was written by a newer Hostledger, whose events this one may not understand. */
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
 * Settings of the writing connection. FULL syncs the write-ahead log in every COMMIT, so that an answered append
 * survives a power cut; `fullfsync` makes macOS flush the drive's own cache too. The log is folded into the file every
 * 1,000 pages (4 MiB) and then written over again from its start: syncing a file that does not grow is a third faster
 * than syncing one that does, so a longer log would cost more than it saves.
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

/** How long a connection waits for the other one's short locks (recovery, checkpoint), in milliseconds. */
const busyTimeoutMilliseconds = 5_000;

/**
 * Opens the writing connection and creates the store when the file is new or empty. After a crash SQLite replays
 * its write-ahead log here.
 *
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

/** Says whether the file has yet to become a store. Changes nothing, so that a foreign file is left as it was. */
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

/** Runs a step of opening; whatever goes wrong in it is told with the file's path. @throws EventStoreFailedError */
export function opening<T>(path: string, open: () => T): T {
  try {
    return open();
  } catch (error) {
    if (error instanceof EventStoreFailedError) throw error;
    throw new EventStoreFailedError(`the event store ${path} cannot be opened: ${messageOf(error)}`, {
      cause: error,
    });
  }
}

/** The error's own words. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
