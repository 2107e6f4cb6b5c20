import type { DatabaseSync, StatementSync } from "node:sqlite";

import { createLru } from "@hostledger/runtime/lru";

import { expectedCode, noRevision, refused } from "./channel.ts";

/** Maximum streams with a cached last revision; any other costs one index look-up. */
const headLimit = 100_000;

/** Maximum latest events of a stream in which a repeat without a revision is searched. */
const repeatLimit = 1_000;

/** One append for the writer: the stream and `count` events, four fields each, from `offset` in `fields`. */
export interface LogAppend {
  readonly stream: string;
  /** A revision or a value of `expectedCode`. */
  readonly expected: number;
  readonly count: number;
  readonly fields: readonly string[];
  readonly offset: number;
  readonly time: string;
}

/** The last event's revision and position. If the position is `refused`, the revision is the stream's actual one. */
export interface LogAnswer {
  readonly revision: number;
  readonly position: number;
}

interface Head {
  readonly id: number;
  revision: number;
}

/**
 * Checks expected revisions and inserts events, inside a transaction of the caller. It checks before it inserts, so a
 * conflict does not affect other appends of the transaction. After an error its memory may be ahead of the file, so it
 * must be discarded.
 */
export class EventLog {
  readonly #heads = createLru<string, Head>(headLimit);
  readonly #selectHead: StatementSync;
  readonly #selectStored: StatementSync;
  readonly #selectById: StatementSync;
  readonly #insertStream: StatementSync;
  readonly #insertEvent: StatementSync;
  #lastPosition: number;
  #lastStreamId: number;

  constructor(database: DatabaseSync) {
    this.#selectHead = database.prepare(
      "SELECT id, (SELECT max(revision) FROM events WHERE stream_id = streams.id) AS revision FROM streams WHERE name = ?",
    );
    this.#selectStored = database.prepare(
      "SELECT id, position FROM events WHERE stream_id = ? AND revision > ? ORDER BY revision LIMIT ?",
    );
    this.#selectById = database.prepare(
      "SELECT revision, position FROM events WHERE stream_id = ? AND id = ? AND revision > ? ORDER BY revision DESC LIMIT 1",
    );
    this.#insertStream = database.prepare("INSERT INTO streams (id, name) VALUES (?, ?)");
    this.#insertEvent = database.prepare(
      "INSERT INTO events (position, stream_id, revision, id, type, time, data, metadata) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
    );
    this.#lastPosition = selectNumber(database, "SELECT coalesce(max(position), 0) AS value FROM events");
    this.#lastStreamId = selectNumber(database, "SELECT coalesce(max(id), 0) AS value FROM streams");
  }

  append(append: LogAppend): LogAnswer {
    const head = this.#head(append.stream);
    return (
      this.#answerWithoutWriting(append, head) ?? this.#insert(append, head ?? this.#addStream(append.stream))
    );
  }

  /** Returns the answer to a repeat or to a wrong revision; undefined if the append must be written. */
  #answerWithoutWriting(append: LogAppend, head: Head | undefined): LogAnswer | undefined {
    const actual = head?.revision ?? noRevision;
    const wrong: LogAnswer = { revision: actual, position: refused };
    if (append.expected === expectedCode.any || append.expected === expectedCode.streamExists) {
      if (head === undefined) return append.expected === expectedCode.any ? undefined : wrong;
      return this.#findRecentRepeat(append, head, wrong);
    }
    if (append.expected === actual) return undefined;
    if (append.expected > actual || head === undefined) return wrong;
    return this.#findRepeat(append, head.id) ?? wrong;
  }

  /** Finds a repeat with a revision in the file: the events after that revision have the same ids. */
  #findRepeat({ expected, count, fields, offset }: LogAppend, streamId: number): LogAnswer | undefined {
    let index = 0;
    for (const stored of this.#selectStored.iterate(streamId, expected, count)) {
      if (stored.id !== fields[offset + 4 * index]) return undefined;
      index += 1;
      if (index === count) return { revision: expected + count, position: Number(stored.position) };
    }
    return undefined;
  }

  /**
   * Finds a repeat without a revision (`any`, `stream-exists`) among the stream's latest events. A new first id means a
   * new append; a known id followed by an unknown one is a conflict.
   */
  #findRecentRepeat(
    { count, fields, offset }: LogAppend,
    head: Head,
    wrong: LogAnswer,
  ): LogAnswer | undefined {
    let last: LogAnswer | undefined;
    for (let index = 0; index < count; index += 1) {
      const id = fields[offset + 4 * index] ?? "";
      const stored = this.#selectById.get(head.id, id, head.revision - repeatLimit);
      if (stored === undefined) return index === 0 ? undefined : wrong;
      last = { revision: Number(stored.revision), position: Number(stored.position) };
    }
    return last;
  }

  #insert({ count, fields, offset, time }: LogAppend, head: Head): LogAnswer {
    for (let index = 0; index < count; index += 1) {
      const field = offset + 4 * index;
      const id = fields[field] ?? "";
      const position = this.#lastPosition + 1;
      const revision = head.revision + 1;
      this.#insertEvent.run(
        position,
        head.id,
        revision,
        id,
        fields[field + 1] ?? "",
        time,
        fields[field + 2] ?? "",
        fields[field + 3] ?? "",
      );
      this.#lastPosition = position;
      head.revision = revision;
    }
    return { revision: head.revision, position: this.#lastPosition };
  }

  #head(stream: string): Head | undefined {
    const known = this.#heads.get(stream);
    if (known !== undefined) return known;
    const row = this.#selectHead.get(stream);
    if (row === undefined) return undefined;
    const head = { id: Number(row.id), revision: row.revision === null ? noRevision : Number(row.revision) };
    this.#heads.set(stream, head);
    return head;
  }

  #addStream(stream: string): Head {
    const head = { id: this.#lastStreamId + 1, revision: noRevision };
    this.#insertStream.run(head.id, stream);
    this.#lastStreamId = head.id;
    this.#heads.set(stream, head);
    return head;
  }
}

function selectNumber(database: DatabaseSync, sql: string): number {
  return Number(database.prepare(sql).get()?.value);
}
