import { realTiming } from "@hostledger/runtime/async";
import { startTcpProxy, type TcpProxy } from "@hostledger/runtime/testing";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { collect, isCaughtUp, listen, newCategory, newEvents } from "@hostledger/store/testing";
import {
  EventStoreOverloadedError,
  EventStoreUnavailableError,
  type EventStore,
  type RecordedEvent,
} from "@hostledger/store";

import { openEventStoreDb, type EventStoreDbOptions } from "./eventstoredb-event-store.adapter.ts";
import { startServedStore, type ServedStore } from "./served-store.fixture.ts";

/** Limits shorter than in production, and retries longer than any test. */
const limits = { answerMs: 150, firstPauseMs: 5, longestPauseMs: 50, silenceMs: 300, overallMs: 50_000 };

let served: ServedStore;
let proxy: TcpProxy;
const stores: EventStore[] = [];
beforeEach(async () => {
  served = await startServedStore();
  proxy = await startTcpProxy(served.port);
});
afterEach(async () => {
  proxy.thaw();
  for (const store of stores.splice(0)) await store.close();
  await proxy.close();
  await served.stop();
});

/** The adapter, connected through the proxy. */
async function open(
  own: Partial<EventStoreDbOptions["limits"]> = {},
  sharesTail = false,
): Promise<EventStore> {
  const store = await openEventStoreDb({
    connectionString: `esdb://127.0.0.1:${String(proxy.port)}?tls=false`,
    limits: { ...limits, ...own },
    sharesTail,
  });
  stores.push(store);
  return store;
}

/** Writers that append to a stream of their own, one event after the other, each event's id known beforehand. */
async function write(
  store: EventStore,
  category: string,
  { writers, each }: { writers: number; each: number },
) {
  const streams = Array.from({ length: writers }, (_, writer) => `${category}-${String(writer)}`);
  return Promise.all(
    streams.map(async (stream) => {
      const events = newEvents(each);
      const revisions: bigint[] = [];
      for (const [index, event] of events.entries()) {
        const answer = await store.append(stream, index === 0 ? "no-stream" : BigInt(index - 1), [event]);
        revisions.push(answer.revision);
      }
      expect(revisions).toEqual(events.map((_, index) => BigInt(index)));
      return { stream, ids: events.map(({ id }) => id) };
    }),
  );
}

/** Expects that the server has every event exactly once. */
async function expectStoredOnce(
  written: readonly { stream: string; ids: readonly string[] }[],
): Promise<void> {
  for (const { stream, ids } of written) {
    const stored = await collect(served.embedded().read(stream));
    expect(stored.map(({ id }) => id)).toEqual(ids);
  }
}

describe("appends over a connection in trouble", () => {
  it("stores everything once when the server is frozen for a while", async () => {
    const store = await open();
    const writing = write(store, newCategory(), { writers: 20, each: 10 });
    for (let time = 0; time < 2; time += 1) {
      await realTiming.sleep(10);
      proxy.freeze();
      await realTiming.sleep(500);
      proxy.thaw();
    }
    await expectStoredOnce(await writing);
  });

  it("stores everything once when connections are cut under way", async () => {
    const store = await open();
    const state = { done: false };
    const writing = write(store, newCategory(), { writers: 20, each: 20 }).finally(() => {
      state.done = true;
    });
    for (let cuts = 0; !state.done && cuts < 10; cuts += 1) {
      await realTiming.sleep(15);
      proxy.cut();
    }
    await expectStoredOnce(await writing);
  });

  it("stores everything once when the server stops and starts again", async () => {
    const store = await open();
    const writing = write(store, newCategory(), { writers: 20, each: 20 });
    await realTiming.sleep(20);
    await served.stopServer();
    await realTiming.sleep(200);
    await served.startServer();
    await expectStoredOnce(await writing);
  });

  it("reports an unknown outcome without an answer, and sends once what must not be repeated", async () => {
    const store = await open({ overallMs: 400 });
    const stream = `${newCategory()}-1`;
    await store.append(stream, "no-stream", newEvents(1));
    proxy.freeze();
    await expect(store.append(stream, 0n, newEvents(1))).rejects.toBeInstanceOf(EventStoreUnavailableError);
    const unsafe = ["any", "stream-exists"] as const;
    for (const expected of unsafe) {
      const append = store.append(stream, expected, newEvents(1));
      await expect(append).rejects.toBeInstanceOf(EventStoreUnavailableError);
    }
    proxy.thaw();
    // The frozen ones arrive after all, each once.
    await expect.poll(async () => (await collect(store.read(stream))).length).toBe(4);
  });

  it("refuses appends beyond the limit while the server is frozen, and accepts them again", async () => {
    const store = await open({ inFlight: 2, waiting: 3 });
    const category = newCategory();
    proxy.freeze();
    const attempts = Array.from({ length: 8 }, (_, index) =>
      store.append(`${category}-${String(index)}`, "no-stream", newEvents(1)),
    );
    const settled = Promise.allSettled(attempts);
    await expect(attempts[7]).rejects.toBeInstanceOf(EventStoreOverloadedError);
    proxy.thaw();
    const statuses = (await settled).map(({ status }) => status);
    expect(statuses).toEqual([...Array<string>(5).fill("fulfilled"), ...Array<string>(3).fill("rejected")]);
  });

  it("finishes the queue when it closes, and gives up what cannot be finished", async () => {
    const store = await open({ closeMs: 300 });
    const stream = `${newCategory()}-1`;
    const queued = store.append(stream, "no-stream", newEvents(1));
    await store.close();
    expect(await queued).toMatchObject({ revision: 0n });
    const other = await open({ closeMs: 100, overallMs: 300 });
    proxy.freeze();
    const stuck = other.append(stream, 0n, newEvents(1));
    const failed = expect(stuck).rejects.toBeInstanceOf(EventStoreUnavailableError);
    await other.close();
    await failed;
  });
});

describe("reading over a connection in trouble", () => {
  async function fill(stream: string): Promise<readonly number[]> {
    for (let count = 0; count < 5; count += 1) {
      await served
        .embedded()
        .append(stream, count === 0 ? "no-stream" : BigInt(count * 900 - 1), newEvents(900));
    }
    return Array.from({ length: 4_500 }, (_, revision) => revision);
  }

  it.each(["forwards", "backwards"] as const)("continues %s after the last event", async (direction) => {
    const store = await open({ pageEvents: 1_000, bufferedMessages: 16 });
    const stream = `${newCategory()}-1`;
    const ascending = await fill(stream);
    const revisions: number[] = [];
    for await (const { revision } of store.read(stream, { direction })) {
      revisions.push(Number(revision));
      if (revisions.length % 1_200 === 0) proxy.cut();
      if (revisions.length === 2_000) {
        proxy.freeze();
        realTiming.after(500, () => {
          proxy.thaw();
        });
      }
    }
    expect(revisions).toEqual(direction === "forwards" ? ascending : ascending.toReversed());
  });

  it("reports that the store is unavailable without an answer", async () => {
    const store = await open({ overallMs: 400, silenceMs: 100 });
    proxy.freeze();
    await expect(collect(store.read("account-1"))).rejects.toBeInstanceOf(EventStoreUnavailableError);
    await expect(store.lastPosition()).rejects.toBeInstanceOf(EventStoreUnavailableError);
  });
});

describe("following over a connection in trouble", () => {
  it.each([
    ["by itself", false],
    ["at a shared tail, beside another one", true],
  ])(
    "receives everything once and in order during interruptions and restarts of the server, %s",
    async (_, shares) => {
      const store = await open({}, shares);
      const category = newCategory();
      const total = 400;
      const heard: RecordedEvent[] = [];
      const beside: RecordedEvent[] = [];
      const besides = listen(store.subscribe({ from: "start", streamPrefixes: [category] }), (all) => {
        return all.events.length >= total;
      }).then(({ events }) => beside.push(...events));
      const listening = listen(
        store.subscribe({ from: "start", streamPrefixes: [`${category}-`] }),
        (all) => {
          if (all.events.length % 7 === 0) proxy.cut();
          return all.events.length >= total;
        },
      ).then(({ events }) => heard.push(...events));
      const writing = write(store, category, { writers: 4, each: total / 4 });
      await realTiming.sleep(100);
      await served.stopServer();
      await realTiming.sleep(100);
      await served.startServer();
      await expectStoredOnce(await writing);
      await Promise.all([listening, besides]);
      const stored = await listen(
        served.embedded().subscribe({ from: "start", streamPrefixes: [category] }),
        isCaughtUp,
      );
      expect(heard).toEqual(stored.events);
      expect(beside).toEqual(stored.events);
    },
  );

  it("begins again when the server is silent during catch-up", async () => {
    const store = await open();
    const category = newCategory();
    await served.embedded().append(`${category}-1`, "no-stream", newEvents(5));
    const iterator = store
      .subscribe({ from: "start", streamPrefixes: [`${category}-`] })
      [Symbol.asyncIterator]();
    proxy.freeze();
    const first = iterator.next();
    await realTiming.sleep(700);
    proxy.thaw();
    expect((await first).value).toMatchObject({ events: Array(5).fill({ stream: `${category}-1` }) });
    await iterator.return?.();
  });
});
