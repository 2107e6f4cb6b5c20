import { createHash } from "node:crypto";
import type { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";

import { TransferError } from "../transfer/transfer-error.ts";
import { inspect, openForReading, openForWriting, opening } from "./database.ts";

/** The extent of a copy of a store's events: the start of the next copy, and the identity of the store. */
export interface EventsMark {
  /** Position of the last event; 0 if there is none. */
  readonly position: number;
  /** Highest stream number, because the store numbers new streams in order. */
  readonly streams: number;
  /** Number of events from the first on. */
  readonly events: number;
  /** Id of the first event, unique to each store; empty if there is none. */
  readonly firstId: string;
  /** SHA-256 of the last event, in hexadecimal digits; empty if there is none. */
  readonly lastHash: string;
}

const nothingYet: EventsMark = { position: 0, streams: 0, events: 0, firstId: "", lastHash: "" };

const eventColumns = "position, stream_id, revision, id, type, time, data, metadata";

/**
 * Copies the events of a store into a new file at one moment: all events, or those after an earlier copy. The store may
 * be in use; its write-ahead log is not checkpointed meanwhile.
 * @param from the store's file, which is only read
 * @param to a new file; the caller must sync it
 * @throws TransferError the earlier copy comes from another store
 * @throws EventStoreFailedError the file is foreign, newer, damaged or unreachable
 */
export function copyEvents({
  from,
  to,
  after = nothingYet,
}: {
  readonly from: string;
  readonly to: string;
  readonly after?: EventsMark | undefined;
}): EventsMark {
  refuseForeign(from);
  const copy = openForWriting(to);
  try {
    // An incomplete copy is thrown away after a crash, so its writes need no durability.
    copy.exec("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF");
    attach(copy, from, "mode=ro");
    // The first query below takes a snapshot of the store that lasts until the COMMIT.
    copy.exec("BEGIN");
    refuseOtherStore(copy, after);
    copy
      .prepare("INSERT INTO main.streams SELECT id, name FROM source.streams WHERE id > ?")
      .run(after.streams);
    copy
      .prepare(
        `INSERT INTO main.events SELECT ${eventColumns} FROM source.events WHERE position > ? ORDER BY position`,
      )
      .run(after.position);
    const mark = markOf(copy, after);
    copy.exec("COMMIT");
    return mark;
  } finally {
    copy.close();
  }
}

/**
 * Makes a store from consecutive copies, with the original positions, times and bytes.
 * @param to a new file
 * @param copies in order, the first copy first
 * @throws TransferError the copies are not consecutive
 * @throws EventStoreFailedError a file is foreign, newer, damaged or unreachable
 */
export function joinEvents(to: string, copies: readonly string[]): EventsMark {
  for (const copy of copies) refuseForeign(copy);
  const store = openForWriting(to);
  try {
    let mark = nothingYet;
    for (const copy of copies) {
      attach(store, copy, "immutable=1");
      mark = join(store, mark);
      store.exec("DETACH source");
    }
    return mark;
  } finally {
    store.close();
  }
}

function join(store: DatabaseSync, before: EventsMark): EventsMark {
  const first = store.prepare("SELECT min(position) AS position FROM source.events").get()?.position;
  if (typeof first === "number" && first !== before.position + 1) throw notContinuing();
  store.exec("BEGIN");
  store.exec("INSERT INTO main.streams SELECT id, name FROM source.streams ORDER BY id");
  store.exec(`INSERT INTO main.events SELECT ${eventColumns} FROM source.events ORDER BY position`);
  const mark = markOf(store, before);
  store.exec("COMMIT");
  return mark;
}

/** Returns the extent after the file's own events are added to the earlier ones. */
function markOf(database: DatabaseSync, before: EventsMark): EventsMark {
  const last = eventAt(database, "main", "(SELECT max(position) FROM main.events)");
  const [added, streams] = numbers(
    database,
    "SELECT (SELECT count(*) FROM main.events WHERE position > ?), (SELECT coalesce(max(id), 0) FROM main.streams)",
    before.position,
  );
  if (last === undefined || added === 0) return before;
  return {
    position: last.position,
    streams: Math.max(before.streams, streams ?? 0),
    events: before.events + (added ?? 0),
    firstId: before.firstId === "" ? firstIdOf(database, "main") : before.firstId,
    lastHash: last.hash,
  };
}

/** @throws TransferError */
function refuseOtherStore(database: DatabaseSync, after: EventsMark): void {
  if (after.position === 0) return;
  const last = eventAt(database, "source", String(after.position));
  if (firstIdOf(database, "source") === after.firstId && last?.hash === after.lastHash) return;
  throw new TransferError(
    "The existing backup is of another store, or this store was restored to a time before it: choose an empty directory.",
  );
}

function firstIdOf(database: DatabaseSync, schema: "main" | "source"): string {
  const row = database.prepare(`SELECT id FROM ${schema}.events ORDER BY position LIMIT 1`).get();
  return String(row?.id ?? "");
}

/** Returns an event's position and a hash of everything stored of it. */
function eventAt(
  database: DatabaseSync,
  schema: "main" | "source",
  position: string,
): { readonly position: number; readonly hash: string } | undefined {
  const row = database
    .prepare(`SELECT ${eventColumns} FROM ${schema}.events WHERE position = ${position}`)
    .get();
  if (row === undefined) return undefined;
  const hash = createHash("sha256")
    .update(JSON.stringify(Object.values(row)))
    .digest("hex");
  return { position: Number(row.position), hash };
}

function numbers(database: DatabaseSync, sql: string, ...parameters: number[]): readonly number[] {
  return Object.values(database.prepare(sql).get(...parameters) ?? {}).map(Number);
}

/** @throws EventStoreFailedError */
function refuseForeign(path: string): void {
  const database = openForReading(path);
  try {
    if (opening(path, () => inspect(database, path))) throw notContinuing();
  } finally {
    database.close();
  }
}

/** @param how a parameter of SQLite's file URIs, which makes the source read-only */
function attach(database: DatabaseSync, path: string, how: "mode=ro" | "immutable=1"): void {
  database.prepare("ATTACH ? AS source").run(`${pathToFileURL(path).href}?${how}`);
}

function notContinuing(): TransferError {
  return new TransferError(
    "The backup's events are incomplete: a file is missing, or belongs to another store.",
  );
}
