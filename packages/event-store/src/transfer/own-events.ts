import type { EventStore, RecordedEvent } from "../event-store.port.ts";

/** Where the original times are kept on an engine that stamps its own; see `original-times.ts`. */
export const timesStream = "transfer-times";

/** Streams that a transfer carries: not an engine's own (`$…`), nor the times that a transfer has left. */
export function isCarried(stream: string): boolean {
  return !stream.startsWith("$") && stream !== timesStream;
}

/**
 * The events of a store that a transfer carries, in log order, a batch at a time: those that are there when it begins.
 * What comes later is left out, so that it ends on a store that is being written.
 */
export async function* ownEvents(
  store: EventStore,
): AsyncGenerator<readonly RecordedEvent[], void, undefined> {
  const last = await store.lastPosition();
  if (last === undefined) return;
  const ending = new AbortController();
  try {
    for await (const batch of store.subscribe({ from: "start", signal: ending.signal })) {
      const events = batch.events.filter(({ stream, position }) => position <= last && isCarried(stream));
      if (events.length > 0) yield events;
      if (batch.caughtUp || batch.position >= last) return;
    }
  } finally {
    ending.abort();
  }
}
