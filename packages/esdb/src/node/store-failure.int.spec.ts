import { EventStoreDBClient, UnavailableError } from "@eventstore/db-client";
import { yieldToOthers } from "@hostledger/runtime/async";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  EventStoreFailedError,
  EventStoreOverloadedError,
  EventStoreUnavailableError,
  type EventStore,
} from "@hostledger/store";
import { defined } from "@hostledger/runtime";

import { startEventStoreNode, type EventStoreNode } from "./event-store-node.ts";
import { collect, failureOf, numbered, startTestNode, type TestNode } from "./node.fixture.ts";

const quiet = { info: () => undefined, error: () => undefined };

/** A second node over the first one's store, whose appends fail or hang as the test says. */
let test: TestNode;
let node: EventStoreNode;
let client: EventStoreDBClient;
let trouble: Error | "silence" | undefined;
const asked: Promise<unknown>[] = [];
beforeEach(async () => {
  trouble = undefined;
  test = await startTestNode();
  const { store } = test;
  const faulty: EventStore = {
    append: (...append) => {
      if (trouble === "silence") return Promise.withResolvers<never>().promise;
      return trouble === undefined ? store.append(...append) : Promise.reject(trouble);
    },
    read: (...read) => store.read(...read),
    subscribe: (options) => store.subscribe(options),
    lastPosition: () => store.lastPosition(),
    close: () => store.close(),
  };
  node = await startEventStoreNode({
    store: faulty,
    host: "127.0.0.1",
    port: 0,
    writers: "anyone",
    logger: quiet,
  });
  client = EventStoreDBClient.connectionString(node.connectionString);
});
afterEach(async () => {
  await Promise.allSettled(asked.splice(0));
  await client.dispose();
  await node.close();
  await test.stop();
});

describe("a store that is gone", () => {
  it.each([
    new EventStoreFailedError("the disk is full"),
    new EventStoreUnavailableError("the event store is closed"),
  ])("is UNAVAILABLE to who appends: %s", async (error) => {
    await client.appendToStream("order-1", numbered(1));
    trouble = error;
    expect(await failureOf(client.appendToStream("order-1", numbered(1)))).toBeInstanceOf(UnavailableError);
    const credentials = { username: "u", password: "p" };
    const unary = failureOf(client.appendToStream("order-1", numbered(1), { credentials }));
    expect(await unary).toBeInstanceOf(UnavailableError);
    expect(await failureOf(client.deleteStream("order-1"))).toMatchObject({ code: 14 });
    trouble = undefined;
    expect(await client.appendToStream("order-1", numbered(1))).toMatchObject({ success: true });
  });

  it("is UNAVAILABLE to who reads, and ends subscriptions so", async () => {
    await client.appendToStream("order-1", numbered(3));
    const toAll = client.subscribeToAll();
    const toStream = client.subscribeToStream("order-1");
    const ends = [toAll, toStream].map((subscription) => failureOf(collect(subscription)));
    await Promise.all(
      [toAll, toStream].map(
        (subscription) => new Promise((resolve) => subscription.once("caughtUp", resolve)),
      ),
    );
    await test.store.close();
    for (const end of ends) expect(await end).toBeInstanceOf(UnavailableError);
    expect(await failureOf(collect(client.readAll()))).toBeInstanceOf(UnavailableError);
    expect(await failureOf(collect(client.readStream("order-1")))).toBeInstanceOf(UnavailableError);
  });

  it("is too busy in EventStoreDB's words, and nothing was stored", async () => {
    trouble = new EventStoreOverloadedError("the queue is full");
    const error = await failureOf(client.appendToStream("order-1", numbered(1)));
    expect(String(error)).toContain("Server Is Too Busy");
  });
});

describe("a store that does not answer", () => {
  it("ends a batch append with DeadlineExceeded after the server's limit, or the client's", async () => {
    trouble = "silence";
    const events = numbered(1);
    for (const deadline of [undefined, 50]) {
      const options = defined({ deadline });
      const error = await failureOf(client.appendToStream("order-1", events, options));
      expect(error).toMatchObject({ type: "deadline-exceeded" });
    }
    trouble = undefined;
    expect(await client.appendToStream("order-1", events)).toMatchObject({ nextExpectedRevision: 0n });
  });

  it("does not prevent the node from closing, with anything open", async () => {
    client.subscribeToAll().on("error", () => undefined);
    client.subscribeToStream("order-1").on("error", () => undefined);
    await client.appendToStream("order-1", numbered(1));
    trouble = "silence";
    asked.push(client.appendToStream("order-1", numbered(1)).catch(() => undefined));
    await yieldToOthers();
    await node.close();
    expect(await failureOf(client.appendToStream("order-1", numbered(1)))).toMatchObject({ code: 14 });
  });
});
