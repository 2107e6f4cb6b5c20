import {
  originOf,
  type EventStore,
  type Position,
  type RecordedEvent,
  type SeenEvent,
} from "@hostledger/event-store";

import { beforeFirst } from "./position.ts";

/** What stands in a mark of an event that is not ours: its loss proves nothing. */
const foreign = "foreign";

/**
 * The text by which an event of the log is recognised: its stream, revision, position and id, and how often staff had accepted an
 * older copy of the store when it was seen.
 */
export function markOf(event: RecordedEvent, series = 0): string {
  const { stream, revision, position, id } = event;
  const mark = [stream, String(revision), String(position), id];
  if (originOf(event) === undefined) return JSON.stringify([...mark, foreign]);
  return JSON.stringify(series === 0 ? mark : [...mark, String(series)]);
}

/** The event of ours that a mark names; undefined for any other text. */
export function seenEventOf(mark: string): SeenEvent | undefined {
  const [stream, revision, , id, series = "0"] = partsOf(mark);
  if (stream === undefined || revision === undefined || id === undefined || series === foreign)
    return undefined;
  return { stream, revision: BigInt(revision), id, series: Number(series) };
}

/** Which copy of the log a store gives: another number, another copy. */
export function generationOf({ lineage }: Pick<EventStore, "lineage">): number {
  return lineage?.generation ?? 0;
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
  const [stream, revision, position, id] = partsOf(mark);
  if (stream === undefined || revision === undefined) return undefined;
  for await (const event of store.read(stream, { from: BigInt(revision), limit: 1 }))
    return event.id === id && String(event.position) === position && String(event.revision) === revision
      ? event.position
      : undefined;
  return undefined;
}

/** A text that is no mark has no parts: then nothing is known of the log, as if it were another. */
function partsOf(mark: string): readonly string[] {
  const parts: unknown = JSON.parse(mark);
  return Array.isArray(parts) && parts.every((part) => typeof part === "string") ? parts : [];
}
