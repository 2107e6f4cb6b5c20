import { LRUCache } from "lru-cache";

/** A map that forgets what was unused for longest when it is full: `get` and `set` are uses. */
export type Lru<
  Key extends object | string | number,
  Value extends object | string | number | bigint | boolean,
> = LRUCache<Key, Value>;

/**
 * Entries have weights, 1 where nothing else is said, where lru-cache has `max` for a number of entries: with that it takes the
 * room of all of them when it is made, which is 5 ms and 2 MB for 100,000, and a start makes dozens of them. This one grows with
 * what is in it, at the same cost of a use.
 *
 * @param capacity how much its entries weigh together at most. What weighs more alone is not kept.
 * @param onEvicted called with what it forgets because it is full.
 * @param weightOf asked when an entry is set: a whole number from 1.
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
