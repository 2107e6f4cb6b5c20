import { randomUUID } from "node:crypto";

import { expect, it, onTestFinished } from "vitest";

import type { EventStore, Position } from "../event-store.port.ts";
import { openTestStore, temporaryStorePath } from "./test-store.fixture.ts";

/** Events that a subscription reads before it checks the ends of its streams. */
const unmatched = 32_000;
const batch = 1_000;

/** Stores events of a stream that no subscription follows. */
async function fill(store: EventStore, events: number): Promise<void> {
  for (let stored = 0; stored < events; stored += batch) {
    const storedEvents = Array.from({ length: batch }, () => ({
      id: randomUUID(),
      type: "Noted.v1",
      data: "{}",
      metadata: "{}",
    }));
    await store.append("other-1", "any", storedEvents);
  }
}

/** Returns the position of each batch up to the end of the log, and the streams of its events. */
async function followed(store: EventStore, streamPrefixes: readonly string[], from: Position) {
  const batches: (readonly [position: number, streams: readonly string[]])[] = [];
  for await (const { events, position, caughtUp } of store.subscribe({ from, streamPrefixes })) {
    batches.push([Number(position), events.map(({ stream }) => stream)]);
    if (caughtUp) return batches;
  }
  return batches;
}

const note = () => [{ id: randomUUID(), type: "Noted.v1", data: "{}", metadata: "{}" }];

it("a subscription of few streams skips events after their ends", async () => {
  const path = temporaryStorePath();
  const filling = await openTestStore(path);
  await filling.append("rare-1", "no-stream", note());
  await fill(filling, 3 * unmatched);
  await filling.close();

  const store = await openTestStore(path);
  onTestFinished(() => store.close());
  const end = 1 + 3 * unmatched;
  expect(await followed(store, ["rare-", "none-"], 1n)).toEqual([[end, []]]);
  expect(await followed(store, [], 1n)).toEqual([[end, []]]);
  expect((await followed(store, ["other-"], 1n)).flatMap(([, streams]) => streams)).toHaveLength(
    3 * unmatched,
  );

  // An event after the gap is found, however long the gap is.
  await store.append("rare-2", "no-stream", note());
  await fill(store, 9 * batch);
  const found = await followed(store, ["rare-"], 1n);
  expect(found.flatMap(([, streams]) => streams)).toEqual(["rare-2"]);
  expect(found.at(-1)?.[0]).toBe(end + 1 + 9 * batch);
});

it("ignores the ends of many streams", async () => {
  const path = temporaryStorePath();
  const filling = await openTestStore(path);
  await Promise.all(
    Array.from({ length: 1_001 }, (_, index) => filling.append(`rare-${String(index)}`, "no-stream", note())),
  );
  await fill(filling, 2 * unmatched);
  await filling.close();
  const store = await openTestStore(path);
  onTestFinished(() => store.close());
  expect(await followed(store, ["rare-"], 1_001n)).toEqual([
    [1_001 + unmatched, []],
    [1_001 + 2 * unmatched, []],
  ]);
});
