import { LRUCache } from "lru-cache";

/** A map that evicts the least recently used entry when full; `get` and `set` count as uses. */
export type Lru<
  Key extends object | string | number,
  Value extends object | string | number | bigint | boolean,
> = LRUCache<Key, Value>;

/**
 * Creates an LRU map. Uses lru-cache with weights instead of its `max`, which would allocate all entries at once: 5 ms
 * and 2 MB for 100,000, and a start creates dozens. With weights the memory grows with the entries.
 *
 * @param capacity maximum total weight. An entry heavier than that is not stored.
 * @param onEvicted called for entries evicted when full.
 * @param weightOf weight of an entry, a whole number from 1; default: 1.
 */
export function createLru<
  Key extends object | string | number,
  Value extends object | string | number | bigint | boolean,
>(
  capacity: number,
  onEvicted?: (value: Value, key: Key) => void,
  weightOf: (value: Value) => number = () => 1,
): Lru<Key, Value> {
  const dispose = (value: Value, key: Key, reason: LRUCache.DisposeReason): void => {
    if (reason === "evict") onEvicted?.(value, key);
  };
  return new LRUCache({ maxSize: capacity, sizeCalculation: weightOf, ...(onEvicted && { dispose }) });
}
