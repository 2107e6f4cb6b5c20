import { DatabaseSync, type SQLOutputValue } from "node:sqlite";

import { whileBusy } from "@hostledger/runtime";

/** A row as SQLite gives it. */
export type Row = Record<string, SQLOutputValue>;

const providers = `
  CREATE TABLE domain (
    name                  TEXT PRIMARY KEY,
    client_transaction_id TEXT NOT NULL UNIQUE,
    registered_at         TEXT NOT NULL,
    expires_at            TEXT NOT NULL,
    nameservers           TEXT NOT NULL,    -- separated by spaces
    whois_privacy         INTEGER NOT NULL,
    transfer_lock         INTEGER NOT NULL,
    settles_at_ms         INTEGER NOT NULL  -- in limbo until then; 0 when it never was
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE zone (
    name    TEXT PRIMARY KEY,
    records TEXT NOT NULL                   -- JSON
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE zone_refusal (
    zone  TEXT PRIMARY KEY,
    count INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
`;

const servers = `
  CREATE TABLE server (
    name           TEXT PRIMARY KEY,
    content        TEXT NOT NULL,           -- of the order, to recognise a repeat
    labels         TEXT NOT NULL,           -- where the labels of its behaviour are looked for
    place          INTEGER NOT NULL UNIQUE, -- its address follows from it
    node           TEXT NOT NULL,
    rdns           TEXT NOT NULL,
    firewall       TEXT NOT NULL,           -- JSON
    running        INTEGER NOT NULL,
    provisioned_at TEXT NOT NULL,
    settles_at_ms  INTEGER NOT NULL         -- in limbo until then; 0 when it never was
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE free_place (
    place INTEGER PRIMARY KEY
  ) STRICT;
`;

const lateAnswers = `
  CREATE TABLE late_order (
    party     TEXT NOT NULL,
    id        TEXT NOT NULL,                -- which order: the same for every repeat of it
    due_at_ms INTEGER NOT NULL,
    content   TEXT NOT NULL,                -- JSON
    PRIMARY KEY (party, id)
  ) STRICT, WITHOUT ROWID;

  CREATE INDEX late_order_due ON late_order (party, due_at_ms);

  CREATE TABLE transfer (
    name                  TEXT PRIMARY KEY,
    client_transaction_id TEXT NOT NULL,
    answered_at_ms        INTEGER NOT NULL, -- pending until then
    release               INTEGER NOT NULL, -- what the losing registrar answers
    settled               INTEGER NOT NULL  -- the answer was acted upon
  ) STRICT, WITHOUT ROWID;

  CREATE INDEX transfer_due ON transfer (answered_at_ms) WHERE settled = 0;
`;

/** From here on an order's time counts from the first question about it; one that was taken down before keeps its own. */
const askedOrders = `
  DROP INDEX late_order_due;
  ALTER TABLE late_order RENAME TO counted_order;

  CREATE TABLE late_order (
    party     TEXT NOT NULL,
    id        TEXT NOT NULL,                -- which order: the same for every repeat of it
    name      TEXT NOT NULL,                -- what it is asked about by
    due_at_ms INTEGER,                      -- null until somebody has asked
    content   TEXT NOT NULL,                -- JSON
    PRIMARY KEY (party, id)
  ) STRICT, WITHOUT ROWID;

  INSERT INTO late_order
    SELECT party, id, coalesce(content ->> '$.order.name', content ->> '$.name'), due_at_ms, content FROM counted_order;
  DROP TABLE counted_order;

  CREATE INDEX late_order_due ON late_order (party, due_at_ms);
  CREATE INDEX late_order_unasked ON late_order (party, name) WHERE due_at_ms IS NULL;
`;

/** The registry behind the registrar, which has other registrars too: what it knows beside what ours asks about. */
const registry = `
  ALTER TABLE domain ADD COLUMN sponsor TEXT NOT NULL DEFAULT 'sandbox';
  ALTER TABLE domain ADD COLUMN details TEXT NOT NULL DEFAULT '{}';           -- JSON

  ALTER TABLE transfer ADD COLUMN gaining TEXT NOT NULL DEFAULT 'sandbox';
  ALTER TABLE transfer ADD COLUMN losing TEXT NOT NULL DEFAULT 'elsewhere';
  ALTER TABLE transfer ADD COLUMN requested_at_ms INTEGER NOT NULL DEFAULT 0;

  CREATE TABLE contact (
    id      TEXT PRIMARY KEY,
    content TEXT NOT NULL                   -- JSON
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE host (
    name    TEXT PRIMARY KEY,
    content TEXT NOT NULL                   -- JSON
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE message (
    id              INTEGER PRIMARY KEY AUTOINCREMENT,
    registrar       TEXT NOT NULL,
    name            TEXT NOT NULL,          -- what it is about
    available_at_ms INTEGER NOT NULL,       -- not before then
    content         TEXT NOT NULL           -- JSON
  ) STRICT;

  CREATE INDEX message_queue ON message (registrar, available_at_ms, id);
  CREATE INDEX message_subject ON message (name);
`;

/** What each version of the file added to the one before; the file counts how many it has. */
const migrations = [providers, servers, lateAnswers, askedOrders, registry] as const;

/** How long a process waits for others that are writing, in milliseconds. A turn's writes take one. */
export const longestWaitMs = 5_000;

/**
 * Opens the sandbox's file, creates it when there is none, and adds what an older one lacks. SQLite does not wait for other
 * processes by itself there, which would stop the thread. Committed state survives the death of the process. A power cut takes everything since the log was last copied into the file, which is every 4,000 pages: nearly all orders of a
 * small sandbox. No outside provider forgets like that, so one whose machine may be cut off is opened as durable.
 *
 * @param isDurable true: each commit is synced, and survives a power cut too
 * @throws when the file was written by a newer version of the sandbox, or is no database.
 */
export function openSandboxDatabase(path: string, isDurable: boolean): DatabaseSync {
  const database = new DatabaseSync(path, { timeout: 0 });
  try {
    // Copying the log into the file less often than SQLite does by itself halves the cost of a small commit.
    const durable = isDurable ? "PRAGMA fullfsync = ON; PRAGMA checkpoint_fullfsync = ON;" : "";
    whileBusy(longestWaitMs, () => {
      // The first of them reads the file, which another process may be making.
      database.exec(
        `PRAGMA synchronous = ${isDurable ? "FULL" : "NORMAL"}; PRAGMA wal_autocheckpoint = 4000; ${durable} PRAGMA journal_mode = WAL`,
      );
      // In one transaction: of several processes that open a new file at once, one makes the tables.
      writing(database, () => {
        migrate(database, path);
      });
    });
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/**
 * Reads and writes in one transaction, which others wait for.
 *
 * @throws Error of SQLite's where another process is writing, or the file does not keep it; what the work throws. Nothing is written then.
 */
export function writing<Result>(database: DatabaseSync, work: () => Result): Result {
  database.exec("BEGIN IMMEDIATE");
  try {
    const result = work();
    database.exec("COMMIT");
    return result;
  } catch (error) {
    if (database.isTransaction) database.exec("ROLLBACK");
    throw error;
  }
}

/** Adds what the file lacks. */
function migrate(database: DatabaseSync, path: string): void {
  const version = integer(database.prepare("PRAGMA user_version").get() ?? {}, "user_version");
  if (version < 0 || version > migrations.length)
    throw new Error(`${path} was written by another version of the sandbox (${String(version)})`);
  for (const migration of migrations.slice(version)) database.exec(migration);
  database.exec(`PRAGMA user_version = ${String(migrations.length)}`);
}

/** A column that holds text. @throws when it does not. */
export function text(row: Row, column: string): string {
  const value = row[column];
  if (typeof value !== "string") throw new TypeError(`${column} holds no text`);
  return value;
}

/** A column that holds an integer below 2^53. @throws when it does not. */
export function integer(row: Row, column: string): number {
  const value = row[column];
  if (typeof value !== "number") throw new TypeError(`${column} holds no integer`);
  return value;
}
