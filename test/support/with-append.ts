import type { EventStore } from "@hostledger/event-store";
import { defined } from "@hostledger/runtime";

/** The store with another way of appending to it. */
export function withAppend(store: EventStore, append: EventStore["append"]): EventStore {
  return {
    ...defined({ shared: store.shared }),
    append,
    read: (stream, options) => store.read(stream, options),
    subscribe: (options) => store.subscribe(options),
    lastPosition: () => store.lastPosition(),
    ...(store.lastTime === undefined ? {} : { lastTime: async () => store.lastTime?.() }),
    close: () => store.close(),
  };
}
