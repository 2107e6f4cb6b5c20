import { DatabaseSync, type SQLOutputValue } from "node:sqlite";

import { whileBusy } from "@hostledger/runtime";

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

/** Migration of v0.1.0: late orders, transfers, and the registry behind the registrar, with other registrars. */
const registry = `
  CREATE TABLE late_order (
    party     TEXT NOT NULL,
    id        TEXT NOT NULL,                -- which order: the same for every repeat of it
    name      TEXT NOT NULL,                -- what it is asked about by
    due_at_ms INTEGER,                      -- null until somebody has asked
    content   TEXT NOT NULL,                -- JSON
    PRIMARY KEY (party, id)
  ) STRICT, WITHOUT ROWID;

  CREATE INDEX late_order_due ON late_order (party, due_at_ms);
  CREATE INDEX late_order_unasked ON late_order (party, name) WHERE due_at_ms IS NULL;

  CREATE TABLE transfer (
    name                  TEXT PRIMARY KEY,
    client_transaction_id TEXT NOT NULL,
    answered_at_ms        INTEGER NOT NULL, -- pending until then
    release               INTEGER NOT NULL, -- what the losing registrar answers
    settled               INTEGER NOT NULL, -- the answer was acted upon
    gaining               TEXT NOT NULL,
    losing                TEXT NOT NULL,
    requested_at_ms       INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;

  CREATE INDEX transfer_due ON transfer (answered_at_ms) WHERE settled = 0;

  ALTER TABLE domain ADD COLUMN sponsor TEXT NOT NULL DEFAULT 'sandbox';
  ALTER TABLE domain ADD COLUMN details TEXT NOT NULL DEFAULT '{}';           -- JSON

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

const payments = `
  CREATE TABLE payment (
    order_id      TEXT PRIMARY KEY,
    content       TEXT NOT NULL,            -- JSON
    paid_at_ms    INTEGER NOT NULL,
    settles_at_ms INTEGER NOT NULL          -- in limbo until then; 0 when it never was
  ) STRICT, WITHOUT ROWID;
`;

const storedMethods = `
  CREATE TABLE removed_method (
    method_id TEXT PRIMARY KEY
  ) STRICT, WITHOUT ROWID;
`;

const refunds = `
  CREATE TABLE refund (
    refund_id     TEXT PRIMARY KEY,
    order_id      TEXT NOT NULL,            -- of the payment
    amount_cents  TEXT NOT NULL,            -- decimal
    made_at_ms    INTEGER NOT NULL,
    settles_at_ms INTEGER NOT NULL          -- in limbo until then; 0 when it never was
  ) STRICT, WITHOUT ROWID;

  CREATE INDEX refund_payment ON refund (order_id);
`;

/** Migrations of the file in order; the file stores how many it has. Two stand empty that no release had. */
const migrations = [providers, servers, "", "", registry, payments, storedMethods, refunds] as const;

/** Milliseconds for which a process waits for another writer; one turn's writes take one. */
export const longestWaitMs = 5_000;

/**
 * Opens or creates the sandbox's file and migrates it. SQLite's own waiting is disabled, because it blocks the thread.
 * Committed data survive the process's death. A power cut loses everything since SQLite's last checkpoint, every 4,000
 * pages, which may be nearly all orders of a small sandbox. Real providers do not forget, so machines that may lose
 * power should open it as durable.
 *
 * @param isDurable true syncs each commit to survive power cuts
 * @throws Error if a newer sandbox wrote the file, or it is no database.
 */
export function openSandboxDatabase(path: string, isDurable: boolean): DatabaseSync {
  const database = new DatabaseSync(path, { timeout: 0 });
  try {
    // Fewer checkpoints than SQLite's default halve the cost of small commits.
    const durable = isDurable ? "PRAGMA fullfsync = ON; PRAGMA checkpoint_fullfsync = ON;" : "";
    whileBusy(longestWaitMs, () => {
      // The first pragma reads the file, which another process may be creating.
      database.exec(
        `PRAGMA synchronous = ${isDurable ? "FULL" : "NORMAL"}; PRAGMA wal_autocheckpoint = 4000; ${durable} PRAGMA journal_mode = WAL`,
      );
      // In one transaction, so that only one of several processes creates the tables.
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

/** Runs work in one write transaction. @throws SQLite's error if locked, or errors of the work; nothing is written then */
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

function migrate(database: DatabaseSync, path: string): void {
  const version = integer(database.prepare("PRAGMA user_version").get() ?? {}, "user_version");
  if (version < 0 || version > migrations.length)
    throw new Error(`${path} was written by another version of the sandbox (${String(version)})`);
  for (const migration of migrations.slice(version)) database.exec(migration);
  database.exec(`PRAGMA user_version = ${String(migrations.length)}`);
}

/** Returns a text column. @throws TypeError for other types */
export function text(row: Row, column: string): string {
  const value = row[column];
  if (typeof value !== "string") throw new TypeError(`${column} holds no text`);
  return value;
}

/** Returns an integer column below 2^53. @throws TypeError for other types */
export function integer(row: Row, column: string): number {
  const value = row[column];
  if (typeof value !== "number") throw new TypeError(`${column} holds no integer`);
  return value;
}
