import { EventStoreDBClient, UnavailableError } from "@eventstore/db-client";
import { realTiming } from "@hostledger/runtime/async";
import { afterEach, describe, expect, it, vi } from "vitest";
import { openTestStore } from "@hostledger/store/testing";

import { startEventStoreNode } from "./event-store-node.ts";
import { collect, failureOf, numbered, startTestNode, take, type TestNode } from "./node.fixture.ts";

let test: TestNode | undefined;
afterEach(async () => {
  expect(test?.bugs ?? []).toEqual([]);
  await test?.stop();
  test = undefined;
});

describe("a taken port", () => {
  it("is an error of starting", async () => {
    test = await startTestNode();
    const logger = { info: () => undefined, error: () => undefined };
    const options = { store: test.store, host: "127.0.0.1", port: test.node.port, logger };
    expect(await failureOf(startEventStoreNode(options))).toBeInstanceOf(Error);
  });
});

describe("discovery", () => {
  it("finds this node as the leader of a cluster of one", async () => {
    test = await startTestNode();
    const uri = `esdb+discover://127.0.0.1:${String(test.node.port)}?tls=false`;
    const client = EventStoreDBClient.connectionString(uri);
    expect(await client.appendToStream("order-1", numbered(1))).toMatchObject({ success: true });
    await client.dispose();
  });
});

describe("limits", () => {
  it("refuses subscriptions beyond the limit with a clear error, and accepts one again after another ended", async () => {
    test = await startTestNode({ limits: { subscriptions: 1 } });
    const first = test.client.subscribeToAll();
    first.on("data", () => undefined);
    await new Promise((resolve) => first.once("confirmation", resolve));
    expect(await failureOf(take(test.client.subscribeToAll(), 1))).toMatchObject({ code: 8 });
    await first.unsubscribe();
    const { client } = test;
    await client.appendToStream("order-1", numbered(1));
    await vi.waitFor(async () => {
      expect(await take(client.subscribeToAll(), 1)).toHaveLength(1);
    });
  });

  it("drops a live consumer that does not read as too slow", async () => {
    test = await startTestNode({ limits: { liveLagEvents: 100 } });
    const { client } = test;
    const subscription = client.subscribeToAll({}, { highWaterMark: 1 });
    await new Promise((resolve) => {
      subscription.once("caughtUp", resolve);
      subscription.once("readable", () => undefined);
      subscription.read();
    });
    subscription.pause();
    const dropped = new Promise((resolve) => subscription.once("error", resolve));
    const text = "x".repeat(1_000);
    for (let n = 0; n < 40; n += 1) {
      const events = numbered(100).map((event) => ({ ...event, data: { n: event.data.n, text } }));
      await client.appendToStream("bulk-1", events);
    }
    realTiming.after(1_000, () => {
      subscription.resume();
    });
    expect(await dropped).toMatchObject({ code: 10, type: "timeout" });
    expect(String(await dropped)).toContain("Consumer too slow");
  });
});

describe("closing", () => {
  it("ends open subscriptions with UNAVAILABLE and refuses new calls; a restarted node serves the same", async () => {
    const own = await startTestNode();
    const subscription = own.client.subscribeToAll();
    const ended = failureOf(collect(subscription));
    await own.client.appendToStream("order-1", numbered(3), { expectedRevision: "no_stream" });
    await own.node.close();
    expect(await ended).toBeInstanceOf(UnavailableError);
    expect(await failureOf(own.client.appendToStream("order-1", numbered(1)))).toMatchObject({ code: 14 });
    await own.store.close();
    const store = await openTestStore(own.path);
    const logger = { info: () => undefined, error: () => undefined };
    const node = await startEventStoreNode({ store, host: "127.0.0.1", port: own.node.port, logger });
    await vi.waitFor(async () => {
      expect(await collect(own.client.readStream("order-1"))).toHaveLength(3);
    });
    await own.client.dispose();
    await node.close();
    await store.close();
  });
});
