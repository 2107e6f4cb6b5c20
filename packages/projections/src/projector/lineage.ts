import type { EventStore, Position, RecordedEvent } from "@hostledger/event-store";

/** The text by which an event of the log is known again: its stream, revision, position and id. */
export function markOf({ stream, revision, position, id }: RecordedEvent): string {
  return JSON.stringify([stream, String(revision), String(position), id]);
}

/**
 * Whether a log still has the event of a mark where it was: one that was replaced by another, or restored from before it, has
 * not. Positions alone do not tell, since other events (EventStoreDB's own, too) take them.
 * @returns the event's position, from which the log goes on as it was known; undefined when it is another log.
 * @throws what the store throws when it cannot be read.
 */
export async function positionOfMark(
  store: Pick<EventStore, "read">,
  mark: string,
): Promise<Position | undefined> {
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
