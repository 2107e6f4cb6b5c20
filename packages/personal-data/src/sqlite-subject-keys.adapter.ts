import { randomBytes } from "node:crypto";
import { chmodSync, closeSync, mkdirSync, openSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync, type StatementSync } from "node:sqlite";

import { keyBytes, SubjectKeyError, type SubjectKey, type SubjectKeys } from "./subject-keys.port.ts";

/**
 * `secure_delete` overwrites what is removed with zeros. The journal is a rollback journal: it is emptied with every commit,
 * while a write-ahead log would keep the key's page until somebody checkpoints it.
 */
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

/** How long another process may hold the file, in milliseconds. */
const lockWaitMs = 5_000;

/**
 * Opens the file of subject keys, for the owner alone; several processes may. It and its folder are made when missing.
 * @throws SubjectKeyError with a sentence, when the file is damaged or something else.
 */
export function openSqliteSubjectKeys({ path }: { readonly path: string }): SubjectKeys {
  let database: DatabaseSync | undefined;
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    // Made before SQLite makes it, so that it is at no moment readable by others.
    closeSync(openSync(path, "a", 0o600));
    chmodSync(path, 0o600);
    database = new DatabaseSync(path, { timeout: lockWaitMs });
    database.exec(settings);
    database.exec(schema);
    const check = database.prepare("PRAGMA quick_check(1)").get();
    if (check?.quick_check !== "ok") throw new Error(String(check?.quick_check));
    return new SqliteSubjectKeys(path, database);
  } catch (error) {
    database?.close();
    const reason = error instanceof Error ? error.message : String(error);
    throw new SubjectKeyError(
      `${path} does not open as a file of subject keys (${reason}): restore it from a backup; without it personal data cannot be read`,
    );
  }
}

class SqliteSubjectKeys implements SubjectKeys {
  readonly #path: string;
  readonly #database: DatabaseSync;
  readonly #select: StatementSync;
  readonly #insert: StatementSync;

  constructor(path: string, database: DatabaseSync) {
    this.#path = path;
    this.#database = database;
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
      if (made === undefined) throw new Error("a key that was just written is not there");
      return made;
    });
  }

  destroy(subject: string): Promise<boolean> {
    return this.#attempt(() => {
      const known = this.#get(subject);
      // Zeros first: they lie where the key lay even if the row then moves.
      this.#database
        .prepare("UPDATE subject_keys SET key = zeroblob(length(key)) WHERE subject = ? AND key IS NOT NULL")
        .run(subject);
      this.#database
        .prepare("INSERT INTO subject_keys VALUES (?, NULL) ON CONFLICT (subject) DO UPDATE SET key = NULL")
        .run(subject);
      return known !== undefined && known !== "destroyed";
    });
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

  firstFact(): Promise<string | undefined> {
    return this.#attempt(() => {
      const row = this.#database.prepare("SELECT first_fact FROM store_mark").get();
      return row === undefined ? undefined : String(row.first_fact);
    });
  }

  markFirstFact(id: string): Promise<void> {
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
    const row = this.#select.get(subject);
    if (row === undefined) return undefined;
    if (row.key === null) return "destroyed";
    if (
      !(row.key instanceof Uint8Array) ||
      row.key.length !== keyBytes ||
      row.key.every((byte) => byte === 0)
    )
      throw new SubjectKeyError(
        `${this.#path}: the key of ${subject} is damaged: restore the file from a backup`,
      );
    return row.key;
  }

  #attempt<Result>(work: () => Result): Promise<Result> {
    return Promise.resolve().then(work);
  }
}
