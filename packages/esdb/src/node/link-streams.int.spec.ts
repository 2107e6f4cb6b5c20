import {
  BACKWARDS,
  binaryEvent,
  END,
  START,
  StreamNotFoundError,
  jsonEvent,
  persistentSubscriptionToStreamSettingsFromDefaults,
} from "@eventstore/db-client";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { collect, failureOf, numbered, startTestNode, take, type TestNode } from "./node.fixture.ts";

let test: TestNode;
beforeEach(async () => {
  test = await startTestNode();
  await test.client.appendToStream("order-1", numbered(2, "Placed"));
  await test.client.appendToStream("invoice-1", numbered(1, "Issued"));
  await test.client.appendToStream("order-2-b", [...numbered(1, "Placed"), ...numbered(1, "Paid")]);
  await test.client.appendToStream("ordering-1", numbered(1, "Placed"));
});
afterEach(async () => {
  expect(test.bugs).toEqual([]);
  await test.stop();
});

type Options = Parameters<typeof test.client.readStream>[1];

/** Returns the names of the events to which a stream's links point. */
async function targets(stream: string, options: Options = {}): Promise<readonly string[]> {
  const resolved = await collect(test.client.readStream(stream, { ...options, resolveLinkTos: true }));
  return resolved.map(
    ({ event, link }) =>
      `${String(link?.revision)}: ${event === undefined ? "gone" : `${String(event.revision)}@${event.streamId}`}`,
  );
}

describe("the events of a category", () => {
  it("are links in the order of the log, each with a revision of its own", async () => {
    expect(await targets("$ce-order")).toEqual([
      "0: 0@order-1",
      "1: 1@order-1",
      "2: 0@order-2-b",
      "3: 1@order-2-b",
    ]);
  });

  it("are the links themselves unless their targets are requested", async () => {
    const [first] = await collect(test.client.readStream("$ce-order"));
    expect(first?.link).toBeUndefined();
    expect(first?.event).toMatchObject({ streamId: "$ce-order", type: "$>", revision: 0n, isJson: false });
    expect(Buffer.from(first?.event?.data as Uint8Array).toString()).toBe("0@order-1");
    const again = await collect(test.client.readStream("$ce-order"));
    expect(again[0]?.event?.id).toBe(first?.event?.id);
  });

  it("are read from a revision, backwards, and by count", async () => {
    expect(await targets("$ce-order", { fromRevision: 3n })).toEqual(["3: 1@order-2-b"]);
    expect(await targets("$ce-order", { fromRevision: 1n, maxCount: 2 })).toEqual([
      "1: 1@order-1",
      "2: 0@order-2-b",
    ]);
    expect(await targets("$ce-order", { fromRevision: END, direction: BACKWARDS, maxCount: 2 })).toEqual([
      "3: 1@order-2-b",
      "2: 0@order-2-b",
    ]);
    expect(await targets("$ce-order", { fromRevision: 1n, direction: BACKWARDS })).toEqual([
      "1: 1@order-1",
      "0: 0@order-1",
    ]);
    expect(await targets("$ce-order", { fromRevision: 4n })).toEqual([]);
  });

  it.each(["$ce-missing", "$ce-order-2", "$ce-", "$ce-$$order", "$et-Missing", "$et-"])(
    "are not found in an empty category: %s",
    async (stream) => {
      const error = await failureOf(collect(test.client.readStream(stream)));
      expect(error).toBeInstanceOf(StreamNotFoundError);
    },
  );

  it("keep their revisions when a stream is deleted, and get one more link", async () => {
    await test.client.deleteStream("order-1");
    expect(await targets("$ce-order")).toEqual([
      "0: gone",
      "1: gone",
      "2: 0@order-2-b",
      "3: 1@order-2-b",
      "4: 0@$$order-1",
    ]);
    await test.client.tombstoneStream("order-2-b");
    expect((await targets("$ce-order")).at(-1)).toBe("5: gone");
    const links = await collect(test.client.readStream("$ce-order", { fromRevision: 4n }));
    expect(links.map(({ event }) => event?.metadata)).toMatchObject([
      { $o: "order-1", $deleted: -1 },
      { $o: "order-2-b", $deleted: -1 },
    ]);
    expect(Buffer.from(links[1]?.event?.data as Uint8Array).toString()).toBe("9223372036854775807@order-2-b");
  });

  it("pass on the links that a stream holds itself", async () => {
    await test.client.appendToStream("view-1", binaryEvent({ type: "$>", data: Buffer.from("1@order-1") }));
    expect(await targets("$ce-view")).toEqual(["0: 1@order-1"]);
  });

  it("are read to the end of several thousand, forwards, backwards and in pages", async () => {
    for (let batch = 0; batch < 12; batch += 1) {
      await test.client.appendToStream(`bulk-${String(batch % 5)}`, numbered(500));
      await test.client.appendToStream(`noise-${String(batch % 5)}`, numbered(100));
    }
    const forwards = await targets("$ce-bulk");
    expect(forwards).toHaveLength(6_000);
    expect(new Set(forwards.map((line) => line.split(": ")[1])).size).toBe(6_000);
    const backwards = await targets("$ce-bulk", { fromRevision: END, direction: BACKWARDS });
    expect(backwards.toReversed()).toEqual(forwards);
    const paged: string[] = [];
    for (let from = 0; from < 6_000; from += 1_000)
      paged.push(...(await targets("$ce-bulk", { fromRevision: BigInt(from), maxCount: 1_000 })));
    expect(paged).toEqual(forwards);
  });
});

describe("the events of a type", () => {
  it("are links in the order of the log", async () => {
    expect(await targets("$et-Placed")).toEqual([
      "0: 0@order-1",
      "1: 1@order-1",
      "2: 0@order-2-b",
      "3: 0@ordering-1",
    ]);
    expect(await targets("$et-Paid", { direction: BACKWARDS, fromRevision: END })).toEqual([
      "0: 1@order-2-b",
    ]);
  });

  it("of EventStoreDB's own are not linked", async () => {
    await test.client.setStreamMetadata("order-1", { maxCount: 9 });
    const error = await failureOf(collect(test.client.readStream("$et-$metadata")));
    expect(error).toBeInstanceOf(StreamNotFoundError);
  });
});

describe("following links", () => {
  it("returns existing and then new events, resolved", async () => {
    const heard: string[] = [];
    const subscription = test.client.subscribeToStream("$ce-order", {
      fromRevision: 1n,
      resolveLinkTos: true,
    });
    subscription.on("data", ({ event, link }) => {
      heard.push(`${String(link?.revision)}: ${String(event?.revision)}@${event?.streamId ?? ""}`);
    });
    const stored = ["2: 0@order-2-b", "3: 1@order-2-b"];
    await vi.waitFor(() => {
      expect(heard).toEqual(stored);
    });
    await test.client.appendToStream("invoice-1", numbered(1));
    await test.client.appendToStream("order-3", numbered(2));
    await vi.waitFor(() => {
      expect(heard).toEqual([...stored, "4: 0@order-3", "5: 1@order-3"]);
    });
    await subscription.unsubscribe();
  });

  it("begins at the end, and with a category that has no event yet", async () => {
    const atEnd = test.client.subscribeToStream("$et-Placed", { fromRevision: END });
    const missing = test.client.subscribeToStream("$ce-later", { fromRevision: START });
    const first = Promise.all([take(atEnd, 1), take(missing, 1)]);
    await Promise.all(
      [atEnd, missing].map((subscription) => new Promise((go) => void subscription.once("confirmation", go))),
    );
    await test.client.appendToStream("later-1", numbered(1, "Placed"));
    const [[placed], [later]] = await first;
    expect(placed?.event).toMatchObject({ streamId: "$et-Placed", revision: 4n });
    expect(later?.event).toMatchObject({ streamId: "$ce-later", revision: 0n });
  });

  it("feeds a group of consumers", async () => {
    await test.client.createPersistentSubscriptionToStream(
      "$ce-order",
      "workers",
      persistentSubscriptionToStreamSettingsFromDefaults({ startFrom: START, resolveLinkTos: true }),
    );
    const heard: string[] = [];
    const subscription = test.client.subscribeToPersistentSubscriptionToStream("$ce-order", "workers");
    for await (const message of subscription) {
      heard.push(`${String(message.event?.revision)}@${message.event?.streamId ?? ""}`);
      await subscription.ack(message);
      if (heard.length === 4) break;
    }
    expect(heard).toEqual(["0@order-1", "1@order-1", "0@order-2-b", "1@order-2-b"]);
  });
});

it("refuses writes to its own link streams", async () => {
  const link = jsonEvent({ type: "Mine", data: {} });
  for (const stream of ["$ce-order", "$et-Placed", "$$$ce-order"]) {
    const denied = { type: "access-denied" };
    expect(await failureOf(test.client.appendToStream(stream, link))).toMatchObject(denied);
    expect(await failureOf(test.client.deleteStream(stream))).toMatchObject(denied);
    expect(await failureOf(test.client.tombstoneStream(stream))).toMatchObject(denied);
  }
  expect(await failureOf(test.client.setStreamMetadata("$ce-order", { maxCount: 1 }))).toMatchObject({
    type: "access-denied",
  });
  expect(await targets("$ce-order")).toHaveLength(4);
});
