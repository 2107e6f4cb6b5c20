import { readFileSync } from "node:fs";
import { join } from "node:path";

import { isForeign, readMetadata, UndecodableEventError } from "@hostledger/core";
import {
  ownEvents,
  timesStream,
  type EventStore,
  type Position,
  type RecordedEvent,
} from "@hostledger/store";
import { errorCodeOf, writeFileAtomically } from "@hostledger/runtime";

/** File beside the log's directory, so that a log is known even if that directory is lost. */
const markFile = "audit-log.begun";

const markMode = 0o600;

/** Returns the name of the log begun in a data directory; undefined if there is none. */
export function begunOrigin(dataDirectory: string): string | undefined {
  try {
    const name = readFileSync(join(dataDirectory, markFile), "utf8").trim();
    return name === "" ? undefined : name;
  } catch (error) {
    if (errorCodeOf(error) === "ENOENT") return undefined;
    throw error;
  }
}

/** Records that a log was begun in a data directory. */
export function markBegun(dataDirectory: string, origin: string): void {
  if (begunOrigin(dataDirectory) !== origin)
    writeFileAtomically(join(dataDirectory, markFile), `${origin}\n`, markMode);
}

/**
 * True if a log of this store existed before. Without the mark file, the store must have an event that a person or a
 * customer's program caused. Events of first starts, other software and imports do not count.
 */
export async function hasHistory(store: EventStore, isMarked: boolean): Promise<boolean> {
  if (isMarked) return hasEvents(store);
  const imported = await lastOf(store, timesStream);
  const ending = new AbortController();
  try {
    const last = await store.lastPosition();
    if (last === undefined) return false;
    for await (const { events, position, caughtUp } of store.subscribe({
      from: imported ?? "start",
      signal: ending.signal,
    })) {
      if (events.some(isOfSomebody)) return true;
      if (caughtUp || position >= last) return false;
    }
    return false;
  } finally {
    ending.abort();
  }
}

async function hasEvents(store: EventStore): Promise<boolean> {
  for await (const [event] of ownEvents(store)) if (event !== undefined) return true;
  return false;
}

async function lastOf(store: EventStore, stream: string): Promise<Position | undefined> {
  for await (const { position } of store.read(stream, { direction: "backwards", limit: 1 })) return position;
  return undefined;
}

/** True for an own event that a person or a customer's program caused, or whose actor cannot be read. */
function isOfSomebody(event: RecordedEvent): boolean {
  if (event.stream.startsWith("$") || event.stream === timesStream || isForeign(event)) return false;
  const actor = actorIn(event.metadata);
  return actor === undefined || !/^(system|restore|process:.*)$/u.test(actor);
}

function actorIn(metadata: string): string | undefined {
  try {
    return readMetadata(metadata).actor;
  } catch (error) {
    if (error instanceof UndecodableEventError) return undefined;
    throw error;
  }
}
