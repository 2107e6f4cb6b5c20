import type { EventStore, RecordedEvent } from "../event-store.port.ts";

/** Stream of the original times on an engine that sets its own; see `original-times.ts`. */
export const timesStream = "transfer-times";

/** True for streams of a transfer: not an engine's own (`$…`), nor the stream of original times. */
export function isCarried(stream: string): boolean {
  return !stream.startsWith("$") && stream !== timesStream;
}

/**
 * Reads the events of a store for a transfer, in log order and in batches. Events after the call are left out, so that it
 * ends on a store in use.
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
