import type { EventStore } from "@hostledger/store";

import { copyOfData } from "./snapshots.ts";

/** The data of an instance at a moment. */
export interface Photo {
  readonly moment: string;
  readonly data: string;
  remove(): void;
}

/**
 * Returns a decorator of the event store that copies the data before and after appends.
 * @param isPhotographed chooses appends by the types of their events, without versions.
 */
export function photographing(
  data: string,
  photos: Photo[],
  isPhotographed: (type: string) => boolean,
): (store: EventStore) => EventStore {
  const take = (moment: string): void => {
    const { path, remove } = copyOfData(data);
    photos.push({ moment, data: path, remove });
  };
  return (store) => ({
    ...boundTo(store),
    async append(stream, expected, events) {
      const types = events.map(({ type }) => type.replace(/\.v\d+$/u, ""));
      if (!types.some(isPhotographed)) return store.append(stream, expected, events);
      take(`before ${types.join(", ")}`);
      const stored = await store.append(stream, expected, events);
      take(`after ${types.join(", ")}`);
      return stored;
    },
  });
}

function boundTo(store: EventStore): EventStore {
  return {
    ...(store.shared !== undefined && { shared: store.shared }),
    ...(store.lineage !== undefined && { lineage: store.lineage }),
    append: (...given) => store.append(...given),
    read: (...given) => store.read(...given),
    subscribe: (...given) => store.subscribe(...given),
    lastPosition: () => store.lastPosition(),
    close: () => store.close(),
  };
}
