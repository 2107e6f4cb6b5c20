import type { DatabaseSync } from "node:sqlite";

import { sqliteCodeOf, sqliteCodes } from "@hostledger/runtime/sqlite-code";

import { noRevision, type AppendRequest, type CommittedAnswer, type FullAnswer } from "./channel.ts";
import { EventLog } from "./event-log.ts";

/** Commits groups of appends, each with one sync. */
export class CommitGroups {
  readonly #database: DatabaseSync;
  #log: EventLog;

  constructor(database: DatabaseSync) {
    this.#database = database;
    this.#log = new EventLog(database);
  }

  /**
   * Commits a group. COMMIT returns after the sync of the write-ahead log, and only then are the appends answered. A full
   * disk stores nothing of the group: SQLite reports it before the commit frame is complete, never after a sync.
   * @throws Error on any other failure. Nothing may be written afterwards, because the kernel's buffers are in an unknown
   * state.
   */
  commit(group: readonly AppendRequest[]): CommittedAnswer | FullAnswer {
    const revisions: number[] = [];
    const positions: number[] = [];
    try {
      this.#database.exec("BEGIN IMMEDIATE");
      for (const request of group) appendAll(this.#log, request, revisions, positions);
      this.#database.exec("COMMIT");
      return { kind: "committed", requests: group.length, revisions, positions };
    } catch (error) {
      if (sqliteCodeOf(error) !== sqliteCodes.full) throw error;
      // SQLite may have rolled back on its own.
      if (this.#database.isTransaction) this.#database.exec("ROLLBACK");
      // The log's memory is ahead of the file.
      this.#log = new EventLog(this.#database);
      return { kind: "full", requests: group.length };
    }
  }

  close(): void {
    this.#database.close();
  }
}

function appendAll(log: EventLog, request: AppendRequest, revisions: number[], positions: number[]): void {
  const { fields } = request;
  let offset = 0;
  request.streams.forEach((stream, index) => {
    const expected = request.expected[index] ?? noRevision;
    const count = request.counts[index] ?? 0;
    const time = request.times?.[index] ?? request.time;
    const { revision, position } = log.append({ stream, expected, count, fields, offset, time });
    revisions.push(revision);
    positions.push(position);
    offset += 4 * count;
  });
}
