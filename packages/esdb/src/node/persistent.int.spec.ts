import {
  END,
  eventTypeFilter,
  PARK,
  PersistentSubscriptionDoesNotExistError,
  PersistentSubscriptionDroppedError,
  PersistentSubscriptionExistsError,
  PersistentSubscriptionMaximumSubscribersReachedError,
  persistentSubscriptionToAllSettingsFromDefaults,
  persistentSubscriptionToStreamSettingsFromDefaults,
  RETRY,
  SKIP,
  START,
  type PersistentSubscriptionToStream,
} from "@eventstore/db-client";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { openTestStore } from "@hostledger/store/testing";

import { startEventStoreNode } from "./event-store-node.ts";
import { failureOf, numbered, startTestNode, take, type TestNode } from "./node.fixture.ts";

let test: TestNode;
beforeEach(async () => {
  test = await startTestNode();
});
afterEach(async () => {
  expect(test.bugs).toEqual([]);
  await test.stop();
});

const settings = (
  changes: object = {},
): ReturnType<typeof persistentSubscriptionToStreamSettingsFromDefaults> =>
  persistentSubscriptionToStreamSettingsFromDefaults({ startFrom: START, ...changes });

/** Acknowledges so many messages and answers their revisions. */
async function acknowledge(subscription: PersistentSubscriptionToStream, count: number): Promise<bigint[]> {
  const revisions: bigint[] = [];
  for await (const message of subscription) {
    revisions.push(message.event?.revision ?? -1n);
    await subscription.ack(message);
    if (revisions.length >= count) break;
  }
  return revisions;
}

describe("a group on a stream", () => {
  it("delivers each event once, from the start and live", async () => {
    await test.client.appendToStream("order-1", numbered(100));
    await test.client.createPersistentSubscriptionToStream("order-1", "g", settings());
    const subscription = test.client.subscribeToPersistentSubscriptionToStream("order-1", "g");
    const all = acknowledge(subscription, 110);
    await test.client.appendToStream("order-1", numbered(10));
    expect(await all).toEqual(Array.from({ length: 110 }, (_, n) => BigInt(n)));
  });

  it("begins at the configured event", async () => {
    await test.client.appendToStream("order-1", numbered(5));
    await test.client.createPersistentSubscriptionToStream("order-1", "from3", settings({ startFrom: 3n }));
    await test.client.createPersistentSubscriptionToStream("order-1", "end", settings({ startFrom: END }));
    await test.client.appendToStream("order-1", numbered(1));
    expect(
      await acknowledge(test.client.subscribeToPersistentSubscriptionToStream("order-1", "from3"), 3),
    ).toEqual([3n, 4n, 5n]);
    expect(
      await acknowledge(test.client.subscribeToPersistentSubscriptionToStream("order-1", "end"), 1),
    ).toEqual([5n]);
  });

  it("delivers no more than the buffer holds until some are acknowledged", async () => {
    await test.client.appendToStream("order-1", numbered(20));
    await test.client.createPersistentSubscriptionToStream("order-1", "g", settings());
    const subscription = test.client.subscribeToPersistentSubscriptionToStream("order-1", "g", {
      bufferSize: 4,
    });
    const heard: bigint[] = [];
    subscription.on("data", ({ event }) => heard.push(event?.revision ?? -1n));
    await vi.waitFor(async () => {
      const info = await test.client.getPersistentSubscriptionToStreamInfo("order-1", "g");
      expect(info.stats.totalInFlightMessages).toBe(4);
    });
    expect(heard).toEqual([0n, 1n, 2n, 3n]);
    await subscription.unsubscribe();
  });

  it("delivers an event again on retry with its count, drops it on skip, and parks it after too many tries", async () => {
    await test.client.appendToStream("order-1", numbered(3));
    await test.client.createPersistentSubscriptionToStream("order-1", "g", settings({ maxRetryCount: 2 }));
    const subscription = test.client.subscribeToPersistentSubscriptionToStream("order-1", "g");
    const heard: [bigint | undefined, number][] = [];
    subscription.on("data", (message) => {
      heard.push([message.event?.revision, message.retryCount]);
      if (message.event?.revision === 0n) void subscription.nack(RETRY, "again", message);
      else if (message.event?.revision === 1n) void subscription.nack(SKIP, "never", message);
      else void subscription.ack(message);
    });
    await vi.waitFor(async () => {
      const info = await test.client.getPersistentSubscriptionToStreamInfo("order-1", "g");
      expect(info.stats.parkedMessageCount).toBe(1n);
    });
    expect(heard.filter(([revision]) => revision === 0n)).toEqual([0, 1, 2].map((count) => [0n, count]));
    expect(heard.filter(([revision]) => revision !== 0n)).toEqual([
      [1n, 0],
      [2n, 0],
    ]);
    await subscription.unsubscribe();
  });

  it("parks on request and delivers parked events again", async () => {
    await test.client.appendToStream("order-1", numbered(2));
    await test.client.createPersistentSubscriptionToStream("order-1", "g", settings());
    const subscription = test.client.subscribeToPersistentSubscriptionToStream("order-1", "g");
    let parking = true;
    const heard: (bigint | undefined)[] = [];
    subscription.on("data", (message) => {
      heard.push(message.event?.revision);
      if (parking) void subscription.nack(PARK, "bad", message);
      else void subscription.ack(message);
    });
    const parked = async (): Promise<bigint> =>
      (await test.client.getPersistentSubscriptionToStreamInfo("order-1", "g")).stats.parkedMessageCount;
    await vi.waitFor(async () => {
      expect(await parked()).toBe(2n);
    });
    parking = false;
    await test.client.replayParkedMessagesToStream("order-1", "g");
    await vi.waitFor(() => {
      expect(heard).toEqual([0n, 1n, 0n, 1n]);
    });
    expect(await parked()).toBe(0n);
    await subscription.unsubscribe();
  });

  it("delivers an unacknowledged event again after its time", async () => {
    await test.client.appendToStream("order-1", numbered(1));
    await test.client.createPersistentSubscriptionToStream("order-1", "g", settings({ messageTimeout: 100 }));
    const messages = await take(test.client.subscribeToPersistentSubscriptionToStream("order-1", "g"), 2);
    expect(messages.map(({ event, retryCount }) => [event?.revision, retryCount])).toEqual([
      [0n, 0],
      [0n, 1],
    ]);
  });

  it("shares events between consumers, and gives a lost consumer's events to others", async () => {
    await test.client.createPersistentSubscriptionToStream("order-1", "g", settings());
    const [first, second] = [0, 1].map(() =>
      test.client.subscribeToPersistentSubscriptionToStream("order-1", "g"),
    );
    const heard: [bigint[], bigint[]] = [[], []];
    first?.on("data", (message) => heard[0].push(message.event?.revision ?? -1n));
    second?.on("data", (message) => {
      heard[1].push(message.event?.revision ?? -1n);
      void second.ack(message);
    });
    await vi.waitFor(async () => {
      const info = await test.client.getPersistentSubscriptionToStreamInfo("order-1", "g");
      expect(info.connections).toHaveLength(2);
    });
    await test.client.appendToStream("order-1", numbered(6));
    await vi.waitFor(() => {
      expect([heard[0].length, heard[1].length]).toEqual([3, 3]);
    });
    await first?.unsubscribe();
    await vi.waitFor(() => {
      expect(heard[1].toSorted()).toEqual([0n, 1n, 2n, 3n, 4n, 5n]);
    });
    await second?.unsubscribe();
  });

  it("continues after a restart of the node from the acknowledged event", async () => {
    await test.client.appendToStream("order-1", numbered(10));
    await test.client.createPersistentSubscriptionToStream("order-1", "g", settings());
    const subscription = test.client.subscribeToPersistentSubscriptionToStream("order-1", "g", {
      bufferSize: 1,
    });
    expect(await acknowledge(subscription, 5)).toHaveLength(5);
    await subscription.unsubscribe();
    await vi.waitFor(async () => {
      const info = await test.client.getPersistentSubscriptionToStreamInfo("order-1", "g");
      expect(info.stats.lastCheckpointedEventRevision).toBeGreaterThanOrEqual(3n);
    });
    await test.node.close();
    await test.store.close();
    const store = await openTestStore(test.path);
    const logger = { info: () => undefined, error: () => undefined };
    const { port } = test.node;
    const node = await startEventStoreNode({ store, host: "127.0.0.1", port, writers: "anyone", logger });
    await vi.waitFor(async () => {
      expect(await test.client.listAllPersistentSubscriptions()).toHaveLength(1);
    });
    const again = test.client.subscribeToPersistentSubscriptionToStream("order-1", "g");
    const rest = await acknowledge(again, 5);
    expect(rest[0]).toBeLessThanOrEqual(5n);
    expect(rest[0]).toBeGreaterThanOrEqual(4n);
    await test.client.dispose();
    await node.close();
    await store.close();
  });
});

describe("a group on $all", () => {
  it("returns the events that its filter matches", async () => {
    await test.client.appendToStream("order-1", numbered(2, "Order"));
    await test.client.appendToStream("other-1", numbered(2, "Other"));
    await test.client.appendToStream("order-2", numbered(1, "Order"));
    await test.client.createPersistentSubscriptionToAll(
      "g",
      persistentSubscriptionToAllSettingsFromDefaults({ startFrom: START }),
      { filter: eventTypeFilter({ prefixes: ["Order"] }) },
    );
    const subscription = test.client.subscribeToPersistentSubscriptionToAll("g");
    const messages = [];
    for await (const message of subscription) {
      messages.push(message);
      await subscription.ack(message);
      if (messages.length === 3) break;
    }
    expect(messages.map(({ event }) => event?.position.commit)).toEqual([1n, 2n, 5n]);
    const info = await test.client.getPersistentSubscriptionToAllInfo("g");
    expect(info).toMatchObject({ eventSource: "$all", groupName: "g", settings: { startFrom: START } });
    await test.client.deletePersistentSubscriptionToAll("g");
    expect(await test.client.listAllPersistentSubscriptions()).toEqual([]);
  });
});

describe("administration", () => {
  it("creates once, updates, lists, deletes, and drops who is connected", async () => {
    await test.client.createPersistentSubscriptionToStream("order-1", "g", settings());
    const twice = failureOf(test.client.createPersistentSubscriptionToStream("order-1", "g", settings()));
    expect(await twice).toBeInstanceOf(PersistentSubscriptionExistsError);
    await test.client.updatePersistentSubscriptionToStream("order-1", "g", settings({ maxRetryCount: 7 }));
    const [listed] = await test.client.listPersistentSubscriptionsToStream("order-1");
    expect(listed).toMatchObject({ groupName: "g", settings: { maxRetryCount: 7, startFrom: START } });
    const subscription = test.client.subscribeToPersistentSubscriptionToStream("order-1", "g");
    const ended = failureOf(take(subscription, 1));
    await vi.waitFor(async () => {
      const info = await test.client.getPersistentSubscriptionToStreamInfo("order-1", "g");
      expect(info.connections).toHaveLength(1);
    });
    await test.client.deletePersistentSubscriptionToStream("order-1", "g");
    expect(await ended).toBeInstanceOf(PersistentSubscriptionDroppedError);
    const gone = failureOf(test.client.deletePersistentSubscriptionToStream("order-1", "g"));
    expect(await gone).toBeInstanceOf(PersistentSubscriptionDoesNotExistError);
  });

  it("refuses a consumer of a missing group, and one above the limit", async () => {
    const missing = test.client.subscribeToPersistentSubscriptionToStream("order-1", "none");
    expect(await failureOf(take(missing, 1))).toBeInstanceOf(PersistentSubscriptionDoesNotExistError);
    await test.client.createPersistentSubscriptionToStream(
      "order-1",
      "g",
      settings({ maxSubscriberCount: 1 }),
    );
    const first = test.client.subscribeToPersistentSubscriptionToStream("order-1", "g");
    first.on("data", () => undefined);
    await new Promise((resolve) => first.once("confirmation", resolve));
    const second = test.client.subscribeToPersistentSubscriptionToStream("order-1", "g");
    const refused = await failureOf(take(second, 1));
    expect(refused).toBeInstanceOf(PersistentSubscriptionMaximumSubscribersReachedError);
    await first.unsubscribe();
  });
});
