import type { EventStore } from "@hostledger/store";
import { isCaughtUp, listen, newEvent, newEvents } from "@hostledger/store/testing";
import { expect, it, onTestFinished } from "vitest";

import { openEventStoreDb } from "./eventstoredb-event-store.adapter.ts";
import { startServedStore } from "./served-store.fixture.ts";

/** Opens a client whose subscriptions receive a node's events after a delay. */

async function open(gatherMs = 0): Promise<EventStore> {
  const served = await startServedStore();
  onTestFinished(() => served.stop());
  const connectionString = `esdb://127.0.0.1:${String(served.port)}?tls=false`;
  const store = await openEventStoreDb({ connectionString, gatherMs });
  onTestFinished(() => store.close());
  return store;
}

/** Hears events that are stored one after the other from the end of the log on. @returns in how many batches */
async function batchesOf(store: EventStore, count: number): Promise<number> {
  const { promise: isListening, resolve } = Promise.withResolvers<undefined>();
  const heard = listen(store.subscribe({ from: "start" }), (so) => {
    if (isCaughtUp(so)) resolve(undefined);
    return so.events.length >= count;
  });
  await isListening;
  const ids: string[] = [];
  for (let stream = 0; stream < count; stream += 1) {
    const event = newEvent();
    await store.append(`account-${String(stream)}`, "no-stream", [event]);
    ids.push(event.id);
  }
  const { batches, events } = await heard;
  expect(events.map(({ id }) => id)).toEqual(ids);
  return batches.filter((batch) => batch.events.length > 0).length;
}

it("arrive together, all and in order, if the client allows the node to gather them", async () => {
  expect(await batchesOf(await open(1_000), 40)).toBeLessThan(20);
});

it("come with each append if it does not gather", async () => {
  expect(await batchesOf(await open(), 40)).toBeGreaterThan(20);
});

it("end at once with their client while the node gathers", async () => {
  const store = await open(1_000);
  const ending = new AbortController();
  const heard = listen(store.subscribe({ from: "start", signal: ending.signal }), () => false);
  await store.append("account-1", "no-stream", newEvents(1));
  ending.abort();
  await heard;
});

it.each([1_001, -1, 0.5, 1e21])(
  "are refused in a sentence if it should gather for %d ms",
  async (gatherMs) => {
    await expect(open(gatherMs)).rejects.toThrow("hostledger-gather-ms must be 0 to 1000");
  },
);
