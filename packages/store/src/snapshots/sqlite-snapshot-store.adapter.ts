import { createHash } from "node:crypto";
import { mkdirSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";

import { yieldToOthers } from "@hostledger/runtime/async";

import type { SnapshotHead, SnapshotStore, StoredSnapshot } from "./snapshot-store.port.ts";

export interface SqliteSnapshotOptions {
  /** File and folder are created if missing. An unreadable file is replaced. Only one process may open it. */
  readonly path: string;
  /** Maximum characters of all snapshots; the oldest are evicted. Default: 1,000,000,000. */
  readonly characterLimit?: number;
}

const defaultCharacterLimit = 1_000_000_000;

/** Maximum waiting saves, because each keeps a state in memory. */
const waitingLimit = 16;

const partsOfSweep = 50;

const schema = `
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = NORMAL;
  CREATE TABLE IF NOT EXISTS heads (
    stream TEXT PRIMARY KEY, id INTEGER NOT NULL UNIQUE, version INTEGER NOT NULL, revision TEXT NOT NULL,
    position TEXT NOT NULL, event_id TEXT NOT NULL, characters INTEGER NOT NULL, sha256 TEXT NOT NULL
  ) STRICT;
  CREATE TABLE IF NOT EXISTS parts (
    id INTEGER NOT NULL, number INTEGER NOT NULL, content TEXT NOT NULL, PRIMARY KEY (id, number)
  ) STRICT;
`;

/**
 * Opens a snapshot file. A damaged file is deleted, because it is only a cache.
 * @throws Error if the file cannot be created.
 */
export function openSqliteSnapshots(options: SqliteSnapshotOptions): SnapshotStore {
  mkdirSync(dirname(options.path), { recursive: true, mode: 0o700 });
  try {
    return new SqliteSnapshotStore(options);
  } catch {
    for (const suffix of ["", "-wal", "-shm"]) rmSync(`${options.path}${suffix}`, { force: true });
    return new SqliteSnapshotStore(options);
  }
}

/**
 * Stores the parts of a snapshot under a new id, in short writes. The head with that id is written last and replaces the
 * older one. After an earlier crash the older head remains, and the parts without a head are removed later.
 */
class SqliteSnapshotStore implements SnapshotStore {
  readonly #database: DatabaseSync;
  readonly #characterLimit: number;
  #lastId: number;
  #waiting = 0;
  #turn: Promise<void> = Promise.resolve();
  #closed = false;

  constructor({ path, characterLimit = defaultCharacterLimit }: SqliteSnapshotOptions) {
    this.#characterLimit = characterLimit;
    this.#database = new DatabaseSync(path, { timeout: 1_000 });
    try {
      this.#database.exec(schema);
      const row = this.#database.prepare(
        "SELECT max(id) AS id FROM (SELECT id FROM heads UNION ALL SELECT id FROM parts)",
      );
      this.#lastId = Number(row.get()?.id ?? 0);
    } catch (error) {
      this.#database.close();
      throw error;
    }
  }

  load(stream: string): Promise<StoredSnapshot | undefined> {
    return Promise.resolve().then(() => {
      const row = this.#closed
        ? undefined
        : this.#database.prepare("SELECT * FROM heads WHERE stream = ?").get(stream);
      if (row === undefined) return undefined;
      return {
        version: Number(row.version),
        revision: BigInt(String(row.revision)),
        position: BigInt(String(row.position)),
        eventId: String(row.event_id),
        parts: this.#parts(Number(row.id), String(row.sha256)),
      };
    });
  }

  save(stream: string, head: SnapshotHead, parts: Iterable<string>): Promise<void> {
    if (this.#waiting >= waitingLimit)
      return Promise.reject(new Error("too many snapshots wait to be saved"));
    this.#waiting += 1;
    const saved = this.#turn.then(() => this.#save(stream, head, parts));
    this.#turn = saved
      .catch(() => undefined)
      .then(() => {
        this.#waiting -= 1;
      });
    return saved;
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await this.#turn;
    this.#database.close();
  }

  async *#parts(id: number, sha256: string): AsyncGenerator<string, void, undefined> {
    const hash = createHash("sha256");
    const select = this.#database.prepare("SELECT content FROM parts WHERE id = ? AND number = ?");
    for (let number = 0; ; number += 1) {
      this.#refuseWhenClosed();
      const row = select.get(id, number);
      if (row === undefined) break;
      const content = String(row.content);
      hash.update(`${String(content.length)}\n${content}`);
      yield content;
      await yieldToOthers();
    }
    if (hash.digest("hex") !== sha256) throw new Error("the snapshot is damaged");
  }

  async #save(stream: string, head: SnapshotHead, parts: Iterable<string>): Promise<void> {
    this.#lastId += 1;
    const id = this.#lastId;
    const hash = createHash("sha256");
    const insert = this.#database.prepare("INSERT INTO parts (id, number, content) VALUES (?, ?, ?)");
    let characters = 0;
    let number = 0;
    try {
      for (const content of parts) {
        this.#refuseWhenClosed();
        insert.run(id, number, content);
        hash.update(`${String(content.length)}\n${content}`);
        characters += content.length;
        number += 1;
        if (characters > this.#characterLimit)
          throw new Error(`the snapshot of ${stream} is too large to be kept`);
        await yieldToOthers();
      }
      this.#refuseWhenClosed();
      const { version, revision, position, eventId } = head;
      this.#database
        .prepare("INSERT OR REPLACE INTO heads VALUES (?, ?, ?, ?, ?, ?, ?, ?)")
        .run(
          stream,
          id,
          version,
          String(revision),
          String(position),
          eventId,
          characters,
          hash.digest("hex"),
        );
      this.#makeRoom();
    } finally {
      await this.#sweep();
    }
  }

  /** Removes the oldest heads until the rest fits. */
  #makeRoom(): void {
    this.#database
      .prepare(
        `DELETE FROM heads WHERE id IN (
           SELECT id FROM (SELECT id, sum(characters) OVER (ORDER BY id DESC) AS total FROM heads) WHERE total > ?)`,
      )
      .run(this.#characterLimit);
  }

  /** Removes parts without a head, some per turn, because all at once could take long. */
  async #sweep(): Promise<void> {
    const remove = `DELETE FROM parts WHERE rowid IN (
      SELECT rowid FROM parts WHERE id NOT IN (SELECT id FROM heads) LIMIT ${String(partsOfSweep)})`;
    while (!this.#closed && Number(this.#database.prepare(remove).run().changes) > 0) await yieldToOthers();
  }

  #refuseWhenClosed(): void {
    if (this.#closed) throw new Error("the snapshots are closed");
  }
}
