import { randomBytes } from "node:crypto";
import { chmodSync, closeSync, mkdirSync, openSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync, type StatementSync } from "node:sqlite";

import { TemporarilyUnavailableError } from "@hostledger/core";
import { isBusy, untilFree, whileBusy } from "@hostledger/runtime";

import {
  keyBytes,
  readKey,
  SubjectKeyError,
  type SubjectKey,
  type SubjectKeys,
} from "./subject-keys.port.ts";

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

/** Where keys are, and how long another process is waited for that has the file, in milliseconds. Default: 5 s. */
interface SubjectKeyFile {
  readonly path: string;
  readonly waitMs?: number;
}

/**
 * Opens the file of subject keys, for the owner alone; several processes may. It and its folder are made when missing. What is asked
 * of it is refused with `TemporarilyUnavailableError` while another process has it for too long.
 * @throws SubjectKeyError with a sentence, when the file is damaged or something else, or another process has it.
 */
export function openSqliteSubjectKeys({ path, waitMs = 5_000 }: SubjectKeyFile): SubjectKeys {
  let database: DatabaseSync | undefined;
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    // Made before SQLite makes it, so that it is at no moment readable by others.
    closeSync(openSync(path, "a", 0o600));
    chmodSync(path, 0o600);
    // What it is asked later is asked again by the clock: others are served meanwhile.
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
      // As it lies there: what an interrupted destruction left is destroyed now, and was not before.
      const row = this.#select.get(subject);
      // Zeros first: they lie where the key lay even if the row then moves.
      this.#database
        .prepare("UPDATE subject_keys SET key = zeroblob(length(key)) WHERE subject = ? AND key IS NOT NULL")
        .run(subject);
      this.#database
        .prepare("INSERT INTO subject_keys VALUES (?, NULL) ON CONFLICT (subject) DO UPDATE SET key = NULL")
        .run(subject);
      return row !== undefined && row.key !== null;
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
    return readKey(this.#select.get(subject)?.key);
  }

  /** @param work may be begun again: it finds what it wrote before. */
  async #attempt<Result>(work: () => Result): Promise<Result> {
    try {
      return await untilFree(this.#waitMs, work);
    } catch (error) {
      if (!isBusy(error)) throw error;
      throw new TemporarilyUnavailableError(inUse(this.#path), { cause: error });
    }
  }
}
