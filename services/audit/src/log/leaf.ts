import { counted, placeOf } from "@hostledger/core";
import type { RecordedEvent } from "@hostledger/event-store";
import { bundledEntry, encodeEntry, EntryError, hashBytes, leafHash } from "@hostledger/transparency";

import type { LogEvent } from "../log.port.ts";
import { AuditLogError, LogContradictionError } from "./log-error.ts";

/** Whether an event is a leaf of the log: all are but those of an engine's own streams. */
export function isLeaf({ stream }: RecordedEvent): boolean {
  return !stream.startsWith("$");
}

/** The hash of an event's leaf. @throws AuditLogError the event has a shape that no entry can have */
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

/** The hash of an event's leaf in hexadecimal; that of an event that can be no leaf at all is empty. */
export function hashOf(event: RecordedEvent): string {
  try {
    return Buffer.from(leafOf(event)).toString("hex");
  } catch (error) {
    if (error instanceof AuditLogError) return "";
    throw error;
  }
}

/** Hashes that follow each other in a tile, each in hexadecimal. */
export function hexOf(hashes: Uint8Array): readonly string[] {
  return Array.from({ length: hashes.length / hashBytes }, (_, at) =>
    Buffer.from(hashes.subarray(at * hashBytes, (at + 1) * hashBytes)).toString("hex"),
  );
}

/** An event without its place in the store, which is no part of its leaf. */
export function withoutPosition({ position: _, ...event }: RecordedEvent): LogEvent {
  return event;
}

/** What is said of a leaf whose event is another one. @param index of the leaf */
export function contradiction(index: number, found: RecordedEvent): LogContradictionError {
  return new LogContradictionError(
    `Event ${String(index)} of the event store, ${placeOf(found)}, is not the one in the audit log: one of them was changed.`,
  );
}

/** What is said of a fact whose leaf is not where it has to be. */
export function notRecorded(found: RecordedEvent): LogContradictionError {
  return new LogContradictionError(
    `The event ${placeOf(found)} is not the one in the audit log: it was changed, moved or put into the event store.`,
  );
}

/** What is said of a stream with a gap in its revisions. */
export function lackingRevision(stream: string, revision: bigint): LogContradictionError {
  return new LogContradictionError(
    `The event ${stream}@${String(revision)} is missing in the event store: it was deleted.`,
  );
}

/** What is said of a store that ends before the log does. @param size of the log, in leaves */
export function lackingPast(size: number): LogContradictionError {
  return new LogContradictionError(
    `The event store ends before the last of the ${counted(size, "event")} of the audit log: the store lacks some of its past.`,
  );
}

/** What is said of a store that was put back under the log. @param size of the log, in leaves */
export function putBackUnder(size: number): LogContradictionError {
  return new LogContradictionError(
    `The event store was put back to an older copy: it lacks some of the ${counted(size, "event")} of the audit log.`,
  );
}

/** Whether one of the hashes that follow each other in a tile is this one. */
export function hasHash(hashes: Uint8Array, hash: Uint8Array): boolean {
  const bytes = Buffer.from(hashes.buffer, hashes.byteOffset, hashes.length);
  for (let at = bytes.indexOf(hash); at >= 0; at = bytes.indexOf(hash, at + 1))
    if (at % hashBytes === 0) return true;
  return false;
}

/** Whether two hashes are the same. Nothing here is secret, so time does not matter. */
export function sameHash(a: Uint8Array, b: Uint8Array): boolean {
  return Buffer.compare(a, b) === 0;
}
