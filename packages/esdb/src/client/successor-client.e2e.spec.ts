import { join } from "node:path";

import { directoryOfSuite } from "@hostledger/runtime/testing";
import {
  BACKWARDS,
  END,
  eventTypeFilter,
  jsonEvent,
  KurrentDBClient,
  MaxAppendSizeExceededError,
  NO_STREAM,
  PARK,
  persistentSubscriptionToAllSettingsFromDefaults,
  persistentSubscriptionToStreamSettingsFromDefaults,
  START,
  StreamDeletedError,
  StreamNotFoundError,
  streamNameFilter,
  WrongExpectedVersionError,
  type ResolvedEvent,
} from "@kurrent/kurrentdb-client";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";

import { collect, failureOf, take } from "../node/iteration.fixture.ts";
import { startNodeProcess, type NodeProcess } from "./node-process.fixture.ts";

/**
 * `@kurrent/kurrentdb-client` is the successor of the client whose messages the node speaks: it appends over grpc-js
 * and reads over a gRPC stack in Rust. The node runs in a process of its own, and this file in a worker of its own,
 * because the generated classes of both clients claim the same global names, and appends in a shared process are
 * never answered.
 */
const folder = directoryOfSuite();
let node: NodeProcess;
let client: KurrentDBClient;
beforeAll(async () => {
  node = await startNodeProcess(join(folder, "events.db"));
  client = KurrentDBClient.connectionString(`kurrentdb://127.0.0.1:${String(node.port)}?tls=false`);
});
afterAll(async () => {
  await client.dispose();
  await node.kill();
});

function numbered(count: number, type = "Numbered", text = "") {
  return Array.from({ length: count }, (_, n) => jsonEvent({ type, data: { n, text } }));
}

const revisions = (events: readonly ResolvedEvent[]) => events.map(({ event }) => event?.revision);

describe("appending", () => {
  it("returns the appended event: data, metadata, id, type and place", async () => {
    const event = jsonEvent({ type: "Took.v1", data: { ü: "ß 👍" }, metadata: { who: "me" } });
    const result = await client.appendToStream("taken-1", event, { streamState: NO_STREAM });
    expect(result).toMatchObject({ success: true, nextExpectedRevision: 0n });
    const [read] = await collect(client.readStream("taken-1"));
    expect(read?.event).toMatchObject({
      streamId: "taken-1",
      id: event.id,
      type: "Took.v1",
      data: event.data,
      metadata: event.metadata,
      revision: 0n,
      isJson: true,
    });
  });

  it("refuses a wrong revision", async () => {
    await client.appendToStream("wrong-1", numbered(2));
    const error = await failureOf(client.appendToStream("wrong-1", numbered(1), { streamState: 0n }));
    expect(error).toBeInstanceOf(WrongExpectedVersionError);
    expect(error).toMatchObject({ actualState: 1n });
  });

  it("answers a repeat with the first answer", async () => {
    const events = numbered(3);
    const first = await client.appendToStream("repeated-1", events, { streamState: NO_STREAM });
    await client.appendToStream("repeated-1", numbered(1), { streamState: 2n });
    expect(await client.appendToStream("repeated-1", events, { streamState: NO_STREAM })).toEqual(first);
  });

  it("accepts 2,000 events at once: only the bytes are limited, as on the server", async () => {
    const result = await client.appendToStream("many-1", numbered(2_000), { streamState: NO_STREAM });
    expect(result.nextExpectedRevision).toBe(1_999n);
    expect(await collect(client.readStream("many-1"))).toHaveLength(2_000);
  });

  it("refuses more than a mebibyte at once, in one event or in many", async () => {
    for (const events of [numbered(1, "L", "x".repeat(1_048_576)), numbered(3_000, "L", "x".repeat(500))]) {
      const error = await failureOf(client.appendToStream("large-1", events));
      expect(error).toBeInstanceOf(MaxAppendSizeExceededError);
    }
    const missing = await failureOf(collect(client.readStream("large-1")));
    expect(missing).toBeInstanceOf(StreamNotFoundError);
  });
});

describe("reading", () => {
  it("goes forwards and backwards, from a revision and by count", async () => {
    await client.appendToStream("read-1", numbered(10));
    const read = async (options: Parameters<typeof client.readStream>[1]) =>
      revisions(await collect(client.readStream("read-1", options)));
    expect(await read({ fromRevision: 7n })).toEqual([7n, 8n, 9n]);
    expect(await read({ fromRevision: START, maxCount: 2 })).toEqual([0n, 1n]);
    expect(await read({ fromRevision: END, direction: BACKWARDS, maxCount: 2 })).toEqual([9n, 8n]);
    expect(await read({ fromRevision: 10n })).toEqual([]);
  });

  it("reports a missing stream", async () => {
    const error = await failureOf(collect(client.readStream("missing-1")));
    expect(error).toBeInstanceOf(StreamNotFoundError);
  });

  it("reads $all both ways, and from a position", async () => {
    await client.appendToStream("log-1", numbered(5));
    const all = await collect(client.readAll());
    const positions = all.map(({ event }) => event?.position.commit);
    const back = await collect(client.readAll({ direction: BACKWARDS, fromPosition: END }));
    expect(back.map(({ event }) => event?.position.commit)).toEqual(positions.toReversed());
    const third = all.at(-3)?.event?.position;
    expect(await collect(client.readAll(third === undefined ? {} : { fromPosition: third }))).toHaveLength(3);
  });

  it("reads a category as links, resolved on request", async () => {
    await client.appendToStream("linked-1", numbered(2));
    await client.appendToStream("linked-2", numbered(1));
    const resolved = await collect(client.readStream("$ce-linked", { resolveLinkTos: true }));
    expect(resolved.map(({ event }) => event?.streamId)).toEqual(["linked-1", "linked-1", "linked-2"]);
    expect(resolved.map(({ link }) => link?.revision)).toEqual([0n, 1n, 2n]);
    const [link] = await collect(client.readStream("$ce-linked", { maxCount: 1 }));
    expect(link?.event).toMatchObject({ type: "$>", streamId: "$ce-linked" });
  });
});

describe("subscribing", () => {
  it("receives a stream from its start, and then new events", async () => {
    await client.appendToStream("heard-1", numbered(2));
    const subscription = client.subscribeToStream("heard-1", { fromRevision: START });
    const first = take(subscription, 3);
    await client.appendToStream("heard-1", numbered(1));
    expect(revisions(await first)).toEqual([0n, 1n, 2n]);
    await subscription.unsubscribe();
  });

  it.each([
    ["by stream", streamNameFilter({ prefixes: ["filtered-"] })],
    ["by type", eventTypeFilter({ regex: "^Filtered" })],
  ])("receives $all filtered %s", async (how, filter) => {
    const subscription = client.subscribeToAll({ fromPosition: START, filter });
    const first = take(subscription, 2);
    await client.appendToStream(`noise-${how}`, numbered(3));
    await client.appendToStream("filtered-1", numbered(2, "Filtered"));
    expect((await first).map(({ event }) => event?.type)).toEqual(["Filtered", "Filtered"]);
    await subscription.unsubscribe();
  });
});

describe("persistent subscriptions", () => {
  it("to a stream acknowledge events, and park failed ones", async () => {
    const settings = persistentSubscriptionToStreamSettingsFromDefaults({ startFrom: START });
    await client.createPersistentSubscriptionToStream("worked-1", "workers", settings);
    await client.appendToStream("worked-1", numbered(2));
    const subscription = client.subscribeToPersistentSubscriptionToStream("worked-1", "workers");
    let handled = 0;
    for await (const message of subscription) {
      handled += 1;
      if (handled === 1) await subscription.ack(message);
      else {
        await subscription.nack(PARK, "cannot", message);
        break;
      }
    }
    await vi.waitFor(async () => {
      const { stats } = await client.getPersistentSubscriptionToStreamInfo("worked-1", "workers");
      expect(stats.parkedMessageCount).toBe(1n);
    });
    await client.deletePersistentSubscriptionToStream("worked-1", "workers");
  });

  it("to $all are filtered, updated, listed and deleted", async () => {
    const settings = persistentSubscriptionToAllSettingsFromDefaults({ startFrom: START });
    const filter = streamNameFilter({ prefixes: ["grouped-"] });
    await client.createPersistentSubscriptionToAll("everything", settings, { filter });
    await client.appendToStream("grouped-1", numbered(1));
    const subscription = client.subscribeToPersistentSubscriptionToAll("everything");
    for await (const message of subscription) {
      expect(message.event?.streamId).toBe("grouped-1");
      await subscription.ack(message);
      break;
    }
    await client.updatePersistentSubscriptionToAll("everything", settings);
    const groups = await client.listPersistentSubscriptionsToAll();
    expect(groups.map(({ groupName }) => groupName)).toEqual(["everything"]);
    await client.deletePersistentSubscriptionToAll("everything");
  });
});

describe("metadata and deletion", () => {
  it("stores metadata, and hides truncated events", async () => {
    await client.appendToStream("described-1", numbered(3));
    await client.setStreamMetadata("described-1", { maxCount: 1, owner: "me" });
    const { metadata } = await client.getStreamMetadata("described-1");
    expect(metadata).toMatchObject({ maxCount: 1, owner: "me" });
    expect(revisions(await collect(client.readStream("described-1")))).toEqual([2n]);
  });

  it("deletes a stream, which may continue, and refuses a missing one", async () => {
    await client.appendToStream("deleted-1", numbered(1));
    await client.deleteStream("deleted-1");
    const gone = await failureOf(collect(client.readStream("deleted-1")));
    expect(gone).toBeInstanceOf(StreamNotFoundError);
    const again = await client.appendToStream("deleted-1", numbered(1), { streamState: NO_STREAM });
    expect(again.nextExpectedRevision).toBe(1n);
    const never = await failureOf(client.deleteStream("never-1"));
    expect(never).toBeInstanceOf(WrongExpectedVersionError);
  });

  it("ends a stream for good with a tombstone", async () => {
    await client.appendToStream("ended-1", numbered(1));
    await client.tombstoneStream("ended-1");
    expect(await failureOf(collect(client.readStream("ended-1")))).toBeInstanceOf(StreamDeletedError);
    expect(await failureOf(client.appendToStream("ended-1", numbered(1)))).toBeInstanceOf(StreamDeletedError);
  });
});
