import {
  END,
  eventTypeFilter,
  excludeSystemEvents,
  START,
  StreamDeletedError,
  streamNameFilter,
  type AllStreamResolvedEvent,
} from "@eventstore/db-client";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { failureOf, numbered, startTestNode, take, type TestNode } from "./node.fixture.ts";

let test: TestNode;
beforeEach(async () => {
  test = await startTestNode();
});
afterEach(async () => {
  expect(test.bugs).toEqual([]);
  await test.stop();
});

describe("to a stream", () => {
  it("confirms, catches up, reports that once, and continues live without a gap", async () => {
    await test.client.appendToStream("order-1", numbered(300));
    const subscription = test.client.subscribeToStream("order-1", { fromRevision: START });
    const heard: string[] = [];
    subscription.on("confirmation", () => heard.push("confirmed"));
    subscription.on("caughtUp", () => heard.push("caughtUp"));
    subscription.on("data", ({ event }) => heard.push(String(event?.revision)));
    await vi.waitFor(() => {
      expect(heard).toContain("caughtUp");
    });
    await test.client.appendToStream("order-1", numbered(3));
    await test.client.appendToStream("order-12", numbered(3));
    await vi.waitFor(() => {
      expect(heard).toContain("302");
    });
    const numbers = Array.from({ length: 303 }, (_, n) => String(n));
    expect(heard).toEqual(["confirmed", ...numbers.slice(0, 300), "caughtUp", ...numbers.slice(300)]);
    await subscription.unsubscribe();
  });

  it("starts after a revision, or at the end", async () => {
    await test.client.appendToStream("order-1", numbered(5));
    const after = test.client.subscribeToStream("order-1", { fromRevision: 2n });
    expect((await take(after, 2)).map(({ event }) => event?.revision)).toEqual([3n, 4n]);
    const live = test.client.subscribeToStream("order-1", { fromRevision: END });
    live.once("caughtUp", () => void test.client.appendToStream("order-1", numbered(1)));
    expect((await take(live, 1)).map(({ event }) => event?.revision)).toEqual([5n]);
  });

  it("is caught up on a missing stream with its first event only", async () => {
    const subscription = test.client.subscribeToStream("later-1", { fromRevision: START });
    const heard: string[] = [];
    subscription.on("caughtUp", () => heard.push("caughtUp"));
    subscription.on("data", () => heard.push("event"));
    await new Promise((resolve) => subscription.once("confirmation", resolve));
    await test.client.appendToStream("other-1", numbered(1));
    await test.client.appendToStream("later-1", numbered(1));
    await vi.waitFor(() => {
      expect(heard).toEqual(["event", "caughtUp"]);
    });
    await subscription.unsubscribe();
  });

  it("ends with the tombstone and an error when the stream is tombstoned", async () => {
    await test.client.appendToStream("order-1", numbered(1));
    const subscription = test.client.subscribeToStream("order-1");
    const types: (string | undefined)[] = [];
    subscription.once("caughtUp", () => void test.client.tombstoneStream("order-1"));
    const error = await failureOf(async () => {
      for await (const { event } of subscription) types.push(event?.type);
    });
    expect(types).toEqual(["Numbered", "$streamDeleted"]);
    expect(error).toBeInstanceOf(StreamDeletedError);
  });
});

describe("to $all", () => {
  it("excludes the position it starts from", async () => {
    const { position } = await test.client.appendToStream("order-1", numbered(2));
    await test.client.appendToStream("order-1", numbered(1));
    const subscription = test.client.subscribeToAll({ fromPosition: position ?? START });
    expect((await take(subscription, 1)).map(({ event }) => event?.position.commit)).toEqual([3n]);
  });

  it.each([
    ["stream prefixes", streamNameFilter({ prefixes: ["order-"] })],
    ["a stream pattern", streamNameFilter({ regex: "^order-" })],
    ["type prefixes", eventTypeFilter({ prefixes: ["Order"] })],
    ["a type pattern", eventTypeFilter({ regex: "^Order" })],
  ])("filters by %s, caught up and live", async (_, filter) => {
    await test.client.appendToStream("order-1", numbered(2, "OrderTaken"));
    await test.client.appendToStream("other-1", numbered(2, "Other"));
    const subscription = test.client.subscribeToAll({ filter });
    subscription.once("caughtUp", () => {
      void test.client
        .appendToStream("other-1", numbered(1, "Other"))
        .then(() => test.client.appendToStream("order-1", numbered(1, "OrderTaken")));
    });
    const events = await take<AllStreamResolvedEvent>(subscription, 3);
    expect(events.map(({ event }) => event?.position.commit)).toEqual([1n, 2n, 6n]);
  });

  it("excludes system events by the client's own filter", async () => {
    await test.client.setStreamMetadata("order-1", { maxCount: 5 });
    await test.client.appendToStream("order-1", numbered(1));
    const subscription = test.client.subscribeToAll({ filter: excludeSystemEvents() });
    expect((await take(subscription, 1)).map(({ event }) => event?.streamId)).toEqual(["order-1"]);
  });

  it("sends checkpoints from which it resumes, also while nothing matches", async () => {
    await test.client.appendToStream("other-1", numbered(500));
    const checkpoints: bigint[] = [];
    const checkpointReached = (__: unknown, position: { commit: bigint }): Promise<void> => {
      checkpoints.push(position.commit);
      return Promise.resolve();
    };
    const filter = eventTypeFilter({ prefixes: ["Nothing"], maxSearchWindow: 10, checkpointReached });
    const subscription = test.client.subscribeToAll({ filter });
    subscription.on("data", () => undefined);
    await vi.waitFor(() => {
      expect(checkpoints).toHaveLength(50);
    });
    expect(checkpoints.at(-1)).toBe(500n);
    await subscription.unsubscribe();
    await test.client.appendToStream("order-1", numbered(1));
    const at = { commit: 500n, prepare: 0n };
    const resumed = test.client.subscribeToAll({ fromPosition: at });
    expect((await take(resumed, 1)).map(({ event }) => event?.streamId)).toEqual(["order-1"]);
  });

  it.each(["(a+)+$", "(", "\\1", "^(?=a)", "a*b*c*", "x".repeat(257)])(
    "refuses the pattern %s",
    async (regex) => {
      const subscription = test.client.subscribeToAll({ filter: streamNameFilter({ regex }) });
      expect(await failureOf(take(subscription, 1))).toMatchObject({ code: 3 });
    },
  );

  it("receives two thousand events, caught up and live, once each and in order", async () => {
    for (let batch = 0; batch < 10; batch += 1) await test.client.appendToStream("bulk-1", numbered(100));
    const subscription = test.client.subscribeToAll();
    const writing = (async (): Promise<void> => {
      for (let batch = 0; batch < 10; batch += 1) await test.client.appendToStream("bulk-2", numbered(100));
    })();
    const positions = (await take(subscription, 2_000)).map(({ event }) => event?.position.commit);
    await writing;
    expect(positions).toEqual(Array.from({ length: 2_000 }, (_, n) => BigInt(n + 1)));
  });
});
