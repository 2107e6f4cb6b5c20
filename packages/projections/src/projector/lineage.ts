import type { EventStore, Position, RecordedEvent } from "@hostledger/event-store";

import { beforeFirst } from "./position.ts";

/** The text by which an event of the log is known again: its stream, revision, position and id. */
export function markOf({ stream, revision, position, id }: RecordedEvent): string {
  return JSON.stringify([stream, String(revision), String(position), id]);
}

/** What a log says at one moment to those who knew it: each thing is asked for once, however many ask. */
export class LogLineage {
  readonly #store: Pick<EventStore, "lastPosition" | "read">;
  readonly #marks = new Map<string, Promise<Position | undefined>>();
  #last: Promise<Position> | undefined;

  constructor(store: Pick<EventStore, "lastPosition" | "read">) {
    this.#store = store;
  }

  /** Where its last event is. @throws what the store throws. */
  lastPosition(): Promise<Position> {
    return (this.#last ??= this.#store.lastPosition().then((last) => last ?? beforeFirst));
  }

  /** As `positionOfMark`. */
  positionOf(mark: string): Promise<Position | undefined> {
    const asked = this.#marks.get(mark) ?? positionOfMark(this.#store, mark);
    this.#marks.set(mark, asked);
    return asked;
  }
}

/**
 * Whether a log still has the event of a mark where it was: one that was replaced by another, or restored from before it, has
 * not. Positions alone do not tell, since other events (EventStoreDB's own, too) take them.
 * @returns the event's position, from which the log goes on as it was known; undefined when it is another log.
 * @throws what the store throws when it cannot be read.
 */
async function positionOfMark(store: Pick<EventStore, "read">, mark: string): Promise<Position | undefined> {
  const [stream, revision] = partsOf(mark);
  if (stream === undefined || revision === undefined) return undefined;
  for await (const event of store.read(stream, { from: BigInt(revision), limit: 1 }))
    return markOf(event) === mark ? event.position : undefined;
  return undefined;
}

/** A text that is no mark has no parts: then nothing is known of the log, as if it were another. */
function partsOf(mark: string): readonly string[] {
  const parts: unknown = JSON.parse(mark);
  return Array.isArray(parts) && parts.every((part) => typeof part === "string") ? parts : [];
}
