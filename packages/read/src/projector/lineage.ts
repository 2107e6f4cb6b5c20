import {
  originOf,
  type EventStore,
  type Position,
  type RecordedEvent,
  type SeenEvent,
} from "@hostledger/store";

import { beforeFirst } from "./position.ts";

/** Replaces the series in a mark of a foreign event, because its loss proves nothing. */
const foreign = "foreign";

/**
 * Makes the mark that identifies an event of the log: stream, revision, position, id, and number of older backups that
 * staff had accepted.
 */
export function markOf(event: RecordedEvent, series = 0): string {
  const { stream, revision, position, id } = event;
  const mark = [stream, String(revision), String(position), id];
  if (originOf(event) === undefined) return JSON.stringify([...mark, foreign]);
  return JSON.stringify(series === 0 ? mark : [...mark, String(series)]);
}

/** Returns the own event that a mark names; undefined for any other text. */
export function seenEventOf(mark: string): SeenEvent | undefined {
  const [stream, revision, , id, series = "0"] = partsOf(mark);
  if (stream === undefined || revision === undefined || id === undefined || series === foreign)
    return undefined;
  return { stream, revision: BigInt(revision), id, series: Number(series) };
}

/** Returns the generation of a store's log: a replaced copy has another number. */
export function generationOf({ lineage }: Pick<EventStore, "lineage">): number {
  return lineage?.generation ?? 0;
}

/** Asks the store about marks and the end of the log, and caches each answer. */
export class LogLineage {
  readonly #store: Pick<EventStore, "lastPosition" | "read">;
  readonly #marks = new Map<string, Promise<Position | undefined>>();
  #last: Promise<Position> | undefined;

  constructor(store: Pick<EventStore, "lastPosition" | "read">) {
    this.#store = store;
  }

  /** Returns the position of the last event. @throws any error of the store. */
  lastPosition(): Promise<Position> {
    return (this.#last ??= this.#store.lastPosition().then((last) => last ?? beforeFirst));
  }

  /** Caches `positionOfMark`. */
  positionOf(mark: string): Promise<Position | undefined> {
    const asked = this.#marks.get(mark) ?? positionOfMark(this.#store, mark);
    this.#marks.set(mark, asked);
    return asked;
  }
}

/**
 * Checks that the log still has the event of a mark. A log that was replaced or restored from an earlier copy lacks it.
 * Positions alone do not prove that, because other events may have taken them.
 * @returns the event's position, from which to continue; undefined if it is another log.
 * @throws any error of the store.
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

/** Splits a mark; another text has no parts and counts as a mark of another log. */
function partsOf(mark: string): readonly string[] {
  const parts: unknown = JSON.parse(mark);
  return Array.isArray(parts) && parts.every((part) => typeof part === "string") ? parts : [];
}
