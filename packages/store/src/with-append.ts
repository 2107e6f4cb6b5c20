import { defined } from "@hostledger/runtime";

import type { EventStore } from "./event-store.port.ts";

export function withAppend(store: EventStore, append: EventStore["append"]): EventStore {
  return {
    ...defined({
      lineage: store.lineage,
      shared: store.shared,
      bytesOf: store.bytesOf?.bind(store),
      restore: store.restore?.bind(store),
      lastTime: store.lastTime?.bind(store),
    }),
    append,
    read: (stream, options) => store.read(stream, options),
    subscribe: (options) => store.subscribe(options),
    lastPosition: () => store.lastPosition(),
    close: () => store.close(),
  };
}
