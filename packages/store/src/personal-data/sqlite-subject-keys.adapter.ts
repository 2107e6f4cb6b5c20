import { randomBytes } from "node:crypto";
import { chmodSync, closeSync, mkdirSync, openSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync, type StatementSync } from "node:sqlite";

import { TemporarilyUnavailableError } from "@hostledger/core";
import { isBusy, untilFree, whileBusy } from "@hostledger/runtime";

import {
  keyBytes,
  readKey,
  retainedKeyOf,
  retainedLimit,
  SubjectKeyError,
  type RetainedFilter,
  type RetainedKey,
  type SubjectKey,
  type SubjectKeys,
} from "./subject-keys.port.ts";

/** Overwrites removed keys with zeros and avoids a write-ahead log, which would contain them until a checkpoint. */
const settings = `
  PRAGMA secure_delete = ON;
  PRAGMA journal_mode = TRUNCATE;
  PRAGMA synchronous = EXTRA;
`;
const schema = `
  CREATE TABLE IF NOT EXISTS subject_keys (subject TEXT PRIMARY KEY, key BLOB) STRICT;
  CREATE TABLE IF NOT EXISTS erasures (id INTEGER PRIMARY KEY CHECK (id = 1), until TEXT NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS store_mark (id INTEGER PRIMARY KEY CHECK (id = 1), first_fact TEXT) STRICT;
`;

/** File of the keys, and milliseconds to wait for another process's lock. Default: 5 s. */
interface SubjectKeyFile {
  readonly path: string;
  readonly waitMs?: number;
}

/**
 * Opens or creates the file of subject keys, readable only by its owner. Several processes may share the file. Operations
 * throw `TemporarilyUnavailableError` if another process locks the file for too long.
 * @throws SubjectKeyError if the file is damaged, is no key file, or is locked by another process.
 */
export function openSqliteSubjectKeys({ path, waitMs = 5_000 }: SubjectKeyFile): SubjectKeys {
  let database: DatabaseSync | undefined;
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    // Created before SQLite opens it, so that other users can never read it.
    closeSync(openSync(path, "a", 0o600));
    chmodSync(path, 0o600);
    // SQLite does not wait; retries wait asynchronously, so that other requests are served.
    const opened = new DatabaseSync(path, { timeout: 0 });
    database = opened;
    return whileBusy(waitMs, () => {
      opened.exec(settings);
      opened.exec(schema);
      const check = opened.prepare("PRAGMA quick_check(1)").get();
      if (check?.quick_check !== "ok") throw new Error(String(check?.quick_check));
      return new SqliteSubjectKeys(path, opened, waitMs);
    });
  } catch (error) {
    database?.close();
    if (isBusy(error)) throw new SubjectKeyError(inUse(path), { cause: error });
    const reason = error instanceof Error ? error.message : String(error);
    throw new SubjectKeyError(
      `${path} does not open as a file of subject keys (${reason}): restore it from a backup; without it personal data cannot be read`,
    );
  }
}

function inUse(path: string): string {
  return `${path} is in use by another process`;
}

class SqliteSubjectKeys implements SubjectKeys {
  readonly #path: string;
  readonly #database: DatabaseSync;
  readonly #waitMs: number;
  readonly #select: StatementSync;
  readonly #insert: StatementSync;

  constructor(path: string, database: DatabaseSync, waitMs: number) {
    this.#path = path;
    this.#database = database;
    this.#waitMs = waitMs;
    this.#select = database.prepare("SELECT key FROM subject_keys WHERE subject = ?");
    this.#insert = database.prepare("INSERT INTO subject_keys VALUES (?, ?) ON CONFLICT DO NOTHING");
  }

  find(subjects: readonly string[]): Promise<ReadonlyMap<string, SubjectKey>> {
    return this.#attempt(() => {
      const found = new Map<string, SubjectKey>();
      for (const subject of subjects) {
        const key = this.#get(subject);
        if (key !== undefined) found.set(subject, key);
      }
      return found;
    });
  }

  obtain(subject: string): Promise<SubjectKey> {
    return this.#attempt(() => {
      const known = this.#get(subject);
      if (known !== undefined) return known;
      this.#insert.run(subject, randomBytes(keyBytes));
      const made = this.#get(subject);
      if (made === undefined)
        throw new SubjectKeyError(
          `${this.#path}: the key of ${subject} is damaged: restore the file from a backup`,
        );
      return made;
    });
  }

  destroy(subject: string): Promise<boolean> {
    return this.#attempt(() => {
      // Reads the stored row, so that a key from an interrupted destruction counts as destroyed only now.
      const row = this.#select.get(subject);
      // Overwrites the key with zeros in place, before the row may move.
      this.#database
        .prepare("UPDATE subject_keys SET key = zeroblob(length(key)) WHERE subject = ? AND key IS NOT NULL")
        .run(subject);
      this.#database
        .prepare("INSERT INTO subject_keys VALUES (?, NULL) ON CONFLICT (subject) DO UPDATE SET key = NULL")
        .run(subject);
      return row !== undefined && row.key !== null;
    });
  }

  retained({ accountId, throughYear, except = [] }: RetainedFilter): Promise<readonly RetainedKey[]> {
    return this.#attempt(() =>
      this.#database
        .prepare(
          `SELECT subject FROM subject_keys
           WHERE subject >= 'retention-' AND subject < 'retention.' AND subject LIKE ? AND key IS NOT NULL AND CAST(substr(subject, -4) AS INTEGER) <= ?
             AND CAST(substr(subject, 11) AS INTEGER) NOT IN (SELECT value FROM json_each(?))
           ORDER BY substr(subject, -4), subject LIMIT ?`,
        )
        .all(
          `retention-${accountId === undefined ? "%" : String(accountId)}-____`,
          throughYear ?? 9_999,
          JSON.stringify(except),
          retainedLimit,
        )
        .map(({ subject }) => retainedKeyOf(String(subject))),
    );
  }

  erasuresUntil(): Promise<string | undefined> {
    return this.#attempt(() => {
      const row = this.#database.prepare("SELECT until FROM erasures").get();
      return row === undefined ? undefined : String(row.until);
    });
  }

  markErasuresUntil(mark: string): Promise<void> {
    return this.#attempt(() => {
      this.#database
        .prepare("INSERT INTO erasures VALUES (1, ?) ON CONFLICT (id) DO UPDATE SET until = excluded.until")
        .run(mark);
    });
  }

  firstEvent(): Promise<string | undefined> {
    return this.#attempt(() => {
      const row = this.#database.prepare("SELECT first_fact FROM store_mark").get();
      return row === undefined ? undefined : String(row.first_fact);
    });
  }

  markFirstEvent(id: string): Promise<void> {
    return this.#attempt(() => {
      this.#database.prepare("INSERT INTO store_mark VALUES (1, ?) ON CONFLICT DO NOTHING").run(id);
    });
  }

  close(): Promise<void> {
    return this.#attempt(() => {
      this.#database.close();
    });
  }

  #get(subject: string): SubjectKey | undefined {
    return readKey(this.#select.get(subject)?.key);
  }

  /** @param work may run again, so it must accept its own earlier writes. */
  async #attempt<Result>(work: () => Result): Promise<Result> {
    try {
      return await untilFree(this.#waitMs, work);
    } catch (error) {
      if (!isBusy(error)) throw error;
      throw new TemporarilyUnavailableError(inUse(this.#path), { cause: error });
    }
  }
}
