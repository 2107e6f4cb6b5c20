import { counted, placeOf } from "@hostledger/core";
import type { EventBatch, EventStore, Position, RecordedEvent } from "@hostledger/store";
import { bundledEntry, encodeEntry, EntryError, hashBytes, leafHash } from "@hostledger/audit/log";

import type { LogEvent } from "../log.port.ts";
import { AuditLogError, LogContradictionError } from "./log-error.ts";

/** True if an event is a leaf of the log: every event except those in an engine's own streams. */
export function isLeaf({ stream }: RecordedEvent): boolean {
  return !stream.startsWith("$");
}

/** Reads the file of the store from a position on, until the caller has enough or the log closes. */
export async function* readFromDisk(
  store: EventStore,
  from: Position | "start",
  closing?: AbortSignal,
): AsyncGenerator<EventBatch> {
  const reading = new AbortController();
  const signal = closing === undefined ? reading.signal : AbortSignal.any([closing, reading.signal]);
  try {
    yield* store.subscribe({ from, signal, fromDisk: true });
  } finally {
    reading.abort();
  }
}

/** Returns the hash of an event's leaf. @throws AuditLogError the event's shape fits no entry */
export function leafOf(event: RecordedEvent): Uint8Array {
  try {
    return leafHash(bundledEntry(encodeEntry(event)));
  } catch (error) {
    if (!(error instanceof EntryError)) throw error;
    throw new AuditLogError(
      `Event ${String(event.revision)} of stream ${event.stream} cannot be an entry of the audit log: ${error.message}`,
      { cause: error },
    );
  }
}

/** Returns the hash of an event's leaf in hexadecimal; empty if the event cannot be a leaf. */
export function hashOf(event: RecordedEvent): string {
  try {
    return Buffer.from(leafOf(event)).toString("hex");
  } catch (error) {
    if (error instanceof AuditLogError) return "";
    throw error;
  }
}

/** Splits the hashes of a tile, each in hexadecimal. */
export function hexOf(hashes: Uint8Array): readonly string[] {
  return Array.from({ length: hashes.length / hashBytes }, (_, at) =>
    Buffer.from(hashes.subarray(at * hashBytes, (at + 1) * hashBytes)).toString("hex"),
  );
}

/** Removes the event's position, which is not part of its leaf. */
export function withoutPosition({ position: _, ...event }: RecordedEvent): LogEvent {
  return event;
}

/** Makes the error for a leaf with another event. @param index of the leaf */
export function contradiction(index: number, found: RecordedEvent): LogContradictionError {
  return new LogContradictionError(
    `Event ${String(index)} of the event store, ${placeOf(found)}, is not the one in the audit log: one of them was changed.`,
  );
}

/** Makes the error for an event whose leaf is missing in its place. */
export function notRecorded(found: RecordedEvent): LogContradictionError {
  return new LogContradictionError(
    `The event ${placeOf(found)} is not the one in the audit log: it was changed, moved or put into the event store.`,
  );
}

/** Makes the error for a gap in a stream's revisions. */
export function lackingRevision(stream: string, revision: bigint): LogContradictionError {
  return new LogContradictionError(
    `The event ${stream}@${String(revision)} is missing in the event store: it was deleted.`,
  );
}

/** Makes the error for a store that ends before the log does. @param size of the log, in leaves */
export function lackingPast(size: number): LogContradictionError {
  return new LogContradictionError(
    `The event store ends before the last of the ${counted(size, "event")} of the audit log: the store lacks some of its past.`,
  );
}

/** Makes the error for a store that was restored from an older backup while the log ran. @param size of the log, in leaves */
export function putBackUnder(size: number): LogContradictionError {
  return new LogContradictionError(
    `The event store was restored from an older backup: it lacks some of the ${counted(size, "event")} of the audit log.`,
  );
}

/** True if a tile's hashes contain this one. */
export function hasHash(hashes: Uint8Array, hash: Uint8Array): boolean {
  const bytes = Buffer.from(hashes.buffer, hashes.byteOffset, hashes.length);
  for (let at = bytes.indexOf(hash); at >= 0; at = bytes.indexOf(hash, at + 1))
    if (at % hashBytes === 0) return true;
  return false;
}
