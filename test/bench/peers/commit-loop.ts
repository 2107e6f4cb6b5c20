import { DatabaseSync } from "node:sqlite";

/** Row that the loop inserts; stream, revision and position are added by the loop. */
export interface CommittedRow {
  readonly id: string;
  readonly type: string;
  readonly time: string;
  readonly data: string;
  readonly metadata: string;
}

/** The least that any durable store on SQLite must do: insert and COMMIT. */
export interface CommitLoop {
  /** Inserts one row for each of `width` streams, and commits with a sync. */
  commit(width: number, row: CommittedRow): void;
  close(): void;
}

/** Opens a file that the embedded engine has made, under the engine's own settings. */
export function openCommitLoop(path: string, streams: number): CommitLoop {
  const database = new DatabaseSync(path);
  database.exec("PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 1000; PRAGMA cache_size = -32768");
  const addStream = database.prepare("INSERT INTO streams (id, name) VALUES (?, ?)");
  for (let stream = 1; stream <= streams; stream += 1) addStream.run(stream, `append-${String(stream)}`);
  const insert = database.prepare(
    "INSERT INTO events (position, stream_id, revision, id, type, time, data, metadata) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
  );
  let position = 0;
  return {
    commit(width, { id, type, time, data, metadata }) {
      database.exec("BEGIN IMMEDIATE");
      for (let stream = 1; stream <= width; stream += 1) {
        position += 1;
        insert.run(position, stream, position, id, type, time, data, metadata);
      }
      database.exec("COMMIT");
    },
    close() {
      database.close();
    },
  };
}
