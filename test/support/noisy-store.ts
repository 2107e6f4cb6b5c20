import { randomUUID } from "node:crypto";

import { withAppend, type EventStore } from "@hostledger/store";

/** Foreign events between those of an instance on a real server: statistics, and events of other programs. */
const noise = [
  { stream: "$stats-127.0.0.1:2113", type: "$statsCollected" },
  { stream: "guestbook-1", type: "GuestSigned" },
] as const;

/**
 * Appends between two foreign writes: few, because most tests are short; more in tests with thousands of appends,
 * which would otherwise time out.
 */
const quietAppends = (appends: number): number => (appends <= 300 ? 3 : 60);

/** Returns true for a stream of foreign events. */
export function isNoise(stream: string): boolean {
  return noise.some((other) => other.stream === stream);
}

/**
 * A store on a server that is not silent: every few appends others have written behind it, over a connection of
 * theirs. So the end of the log is seldom an event of this store's.
 */
export function noisy(store: EventStore, others: EventStore): EventStore {
  let appends = 0;
  return withAppend(store, async (stream, expected, events) => {
    const result = await store.append(stream, expected, events);
    appends += 1;
    if (appends % quietAppends(appends) === 0) await makeNoise(others);
    return result;
  });
}

/** Has the others write once. */
async function makeNoise(others: EventStore): Promise<void> {
  for (const { stream, type } of noise) await write(others, stream, type);
}

/** Has the server write its own statistics, as it does before the first event of anybody. */
export function makeStatistics(others: EventStore): Promise<unknown> {
  return write(others, noise[0].stream, noise[0].type);
}

function write(others: EventStore, stream: string, type: string): Promise<unknown> {
  return others.append(stream, "any", [{ id: randomUUID(), type, data: '{"n":1}', metadata: "" }]);
}
