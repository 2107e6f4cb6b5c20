import type { EventBatch, EventStore, RecordedEvent } from "@hostledger/store";

/**
 * A store of a test's own on a server that it shares with others: the names of all streams get a prefix on their way in, and
 * lose it on their way out. Its positions are those of the server's log, which others write to as well.
 */
export function namespaced(store: EventStore, prefix: string): EventStore {
  const outside = (event: RecordedEvent): RecordedEvent => ({
    ...event,
    stream: event.stream.slice(prefix.length),
  });
  return {
    shared: true,
    append: (stream, expected, events) => store.append(prefix + stream, expected, events),
    async *read(stream, options) {
      for await (const event of store.read(prefix + stream, options)) yield outside(event);
    },
    async *subscribe({ streamPrefixes = [""], ...options }): AsyncGenerator<EventBatch> {
      const prefixes = streamPrefixes.map((name) => prefix + name);
      for await (const batch of store.subscribe({ ...options, streamPrefixes: prefixes }))
        yield { ...batch, events: batch.events.map(outside) };
    },
    lastPosition: () => store.lastPosition(),
    close: () => store.close(),
  };
}
