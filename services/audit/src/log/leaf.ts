import type { RecordedEvent } from "@hostledger/event-store";
import { bundledEntry, encodeEntry, EntryError, leafHash } from "@hostledger/transparency";

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

/** What is said of a leaf whose event is another one. @param index of the leaf */
export function contradiction(index: number): LogContradictionError {
  return new LogContradictionError(
    `Event ${String(index)} of the event store is not the one in the audit log: one of them was changed.`,
  );
}

/** What is said of a store that ends before the log does. @param size of the log, in leaves */
export function lackingPast(size: number): LogContradictionError {
  return new LogContradictionError(
    `The event store ends before the last of the ${String(size)} events of the audit log: the store lacks some of its past.`,
  );
}

/** Whether two hashes are the same. Nothing here is secret, so time does not matter. */
export function sameHash(a: Uint8Array, b: Uint8Array): boolean {
  return Buffer.compare(a, b) === 0;
}
