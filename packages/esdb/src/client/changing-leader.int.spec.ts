import { collect, isCaughtUp, listen, newCategory, newEvents } from "@hostledger/store/testing";
import type { EventStore } from "@hostledger/store";
import { yieldToOthers } from "@hostledger/runtime/async";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { openEventStoreDb } from "./eventstoredb-event-store.adapter.ts";
import { startServedStore, type ServedStore } from "./served-store.fixture.ts";
import { startTwoNodes, type TwoNodes } from "./changing-leader.fixture.ts";

/** Limits shorter than in production, and retries longer than any test. */
const limits = { answerMs: 300, firstPauseMs: 5, longestPauseMs: 50, silenceMs: 1_000, overallMs: 50_000 };

let served: ServedStore;
let nodes: TwoNodes;
let store: EventStore;
beforeEach(async () => {
  served = await startServedStore();
  nodes = await startTwoNodes(served.port);
  const [first] = nodes.ports;
  store = await openEventStoreDb({
    connectionString: `esdb://127.0.0.1:${String(first)}?tls=false`,
    limits,
  });
});
afterEach(async () => {
  await store.close();
  await nodes.close();
  await served.stop();
});

describe("a cluster whose leader changes", () => {
  it("is written to at the node that its answer names, and back", async () => {
    const category = newCategory();
    const events = newEvents(4);
    for (const [index, event] of events.entries()) {
      nodes.lead(index % 2 === 0 ? 1 : 0);
      const expected = index === 0 ? "no-stream" : BigInt(index - 1);
      expect(await store.append(`${category}-1`, expected, [event])).toMatchObject({
        revision: BigInt(index),
      });
    }
    expect((await collect(store.read(`${category}-1`))).map(({ id }) => id)).toEqual(
      events.map(({ id }) => id),
    );
  });

  it("stores every append once, and reports it once, while it changes under load", async () => {
    const category = newCategory();
    const total = 200;
    const heard = listen(
      store.subscribe({ from: "start", streamPrefixes: [`${category}-`] }),
      ({ events }) => events.length >= total,
    );
    const written = Promise.all(
      Array.from({ length: 8 }, async (_, writer) => {
        const events = newEvents(25);
        for (const [index, event] of events.entries()) {
          const expected = index === 0 ? "no-stream" : BigInt(index - 1);
          const answer = await store.append(`${category}-${String(writer)}`, expected, [event]);
          expect(answer.revision).toBe(BigInt(index));
          // One of the writers causes an election, so that some writer is always affected.
          if (writer === 0 && index % 5 === 1) nodes.elect();
          if (writer === 0 && index % 5 === 1) nodes.lead(index % 10 === 1 ? 1 : 0);
        }
        return events.map(({ id }) => id);
      }),
    );
    const ids = (await written).flat();
    const arrived = (await heard).events.map(({ id }) => id);
    expect(arrived.toSorted()).toEqual(ids.toSorted());
    const stored = await listen(
      served.embedded().subscribe({ from: "start", streamPrefixes: [`${category}-`] }),
      isCaughtUp,
    );
    expect(stored.events.map(({ id }) => id)).toEqual(arrived);
  });

  it("is found again at the address of the connection string when the leader that it named has died", async () => {
    const category = newCategory();
    const [one, two] = newEvents(2);
    if (one === undefined || two === undefined) throw new Error("two events were asked for");
    nodes.lead(1);
    await store.append(`${category}-1`, "no-stream", [one]);
    nodes.lead(0);
    await nodes.stop(1);
    expect(await store.append(`${category}-1`, 0n, [two])).toMatchObject({ revision: 1n });
    expect(await collect(store.read(`${category}-1`))).toHaveLength(2);
  });

  it("is awaited while there is no leader", async () => {
    const category = newCategory();
    nodes.elect();
    const appended = store.append(`${category}-1`, "no-stream", newEvents(1));
    const read = collect(store.read(`${category}-2`));
    await yieldToOthers();
    nodes.lead(1);
    expect(await appended).toMatchObject({ revision: 0n });
    expect(await read).toEqual([]);
  });
});
