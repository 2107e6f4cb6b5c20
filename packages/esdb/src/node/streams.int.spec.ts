import { randomUUID } from "node:crypto";

import {
  ANY,
  BACKWARDS,
  binaryEvent,
  END,
  FORWARDS,
  jsonEvent,
  NO_STREAM,
  START,
  STREAM_EXISTS,
  MaxAppendSizeExceededError,
  StreamDeletedError,
  StreamNotFoundError,
  WrongExpectedVersionError,
} from "@eventstore/db-client";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { collect, failureOf, numbered, startTestNode, type TestNode } from "./node.fixture.ts";

let test: TestNode;
beforeEach(async () => {
  test = await startTestNode();
});
afterEach(async () => {
  expect(test.bugs).toEqual([]);
  await test.stop();
});

/** `credentials` make the client use Append in place of the shared BatchAppend; in clear it sends none of them. */
const unary = { credentials: { username: "any", password: "any" } };

describe.each([
  ["BatchAppend", {}],
  ["Append", unary],
])("%s", (_, path) => {
  it("appends and reads back data, metadata, type, id and time", async () => {
    const event = jsonEvent({
      id: randomUUID(),
      type: "Took.v1",
      data: { ü: "ß 👍" },
      metadata: { who: "me" },
    });
    const result = await test.client.appendToStream("order-1", event, {
      expectedRevision: NO_STREAM,
      ...path,
    });
    expect(result).toEqual({
      success: true,
      nextExpectedRevision: 0n,
      position: { commit: 1n, prepare: 1n },
    });
    const [read] = await collect(test.client.readStream("order-1"));
    expect(read?.event).toMatchObject({
      streamId: "order-1",
      id: event.id,
      type: "Took.v1",
      data: event.data,
      metadata: event.metadata,
      revision: 0n,
      isJson: true,
      created: new Date("2026-01-02T03:04:05.000Z"),
      position: { commit: 1n, prepare: 1n },
    });
  });

  it("refuses a wrong revision with the expected and the present one", async () => {
    await test.client.appendToStream("order-1", numbered(2), path);
    for (const [expectedRevision, expected] of [
      [NO_STREAM, "no_stream"],
      [0n, 0n],
      [7n, 7n],
    ] as const) {
      const error = await failureOf(
        test.client.appendToStream("order-1", numbered(1), { expectedRevision, ...path }),
      );
      expect(error).toBeInstanceOf(WrongExpectedVersionError);
      expect(error).toMatchObject({
        type: "wrong-expected-version",
        message: "",
        expectedVersion: expected,
        actualVersion: 1n,
        streamName: "order-1",
      });
    }
    const missing = failureOf(
      test.client.appendToStream("x", numbered(1), { expectedRevision: STREAM_EXISTS, ...path }),
    );
    expect(await missing).toMatchObject({ expectedVersion: "stream_exists", actualVersion: "no_stream" });
  });

  it("answers a repeat with the original revision and position, also when the stream has moved on", async () => {
    const events = numbered(3);
    const first = await test.client.appendToStream("order-1", events, {
      expectedRevision: NO_STREAM,
      ...path,
    });
    await test.client.appendToStream("order-1", numbered(4), { expectedRevision: 2n, ...path });
    expect(
      await test.client.appendToStream("order-1", events, { expectedRevision: NO_STREAM, ...path }),
    ).toEqual(first);
    const part = await test.client.appendToStream("order-1", events.slice(0, 2), {
      expectedRevision: NO_STREAM,
      ...path,
    });
    expect(part.nextExpectedRevision).toBe(1n);
    expect(await collect(test.client.readStream("order-1"))).toHaveLength(7);
  });

  it("refuses more than a mebibyte in one append and accepts 500 events", async () => {
    const large = jsonEvent({ type: "Large", data: { text: "x".repeat(1_048_576) } });
    const error = await failureOf(test.client.appendToStream("large-1", large, path));
    expect(error).toBeInstanceOf(MaxAppendSizeExceededError);
    expect(error).toMatchObject({ maxAppendSize: 1_048_576 });
    expect(await test.client.appendToStream("many-1", numbered(500), path)).toMatchObject({
      nextExpectedRevision: 499n,
    });
  });

  it("accepts exactly a mebibyte of data and metadata, and not a byte more", async () => {
    const envelope = JSON.stringify({ text: "" }).length + JSON.stringify({ by: "me" }).length;
    const sized = (bytes: number) =>
      jsonEvent({ type: "L", data: { text: "x".repeat(bytes - envelope) }, metadata: { by: "me" } });
    const error = await failureOf(test.client.appendToStream("large-1", sized(1_048_577), path));
    expect(error).toBeInstanceOf(MaxAppendSizeExceededError);
    expect(await test.client.appendToStream("large-1", sized(1_048_576), path)).toMatchObject({
      nextExpectedRevision: 0n,
    });
  });

  it("stores nothing for an append of no events, which succeeds if its revision matches", async () => {
    expect(await test.client.appendToStream("empty-1", [], path)).toMatchObject({ success: true });
    expect(await test.store.lastPosition()).toBeUndefined();
    await test.client.appendToStream("order-1", numbered(3), path);
    const options = { expectedRevision: 2n, ...path };
    expect(await test.client.appendToStream("order-1", [], options)).toMatchObject({
      nextExpectedRevision: 2n,
    });
    const wrong = test.client.appendToStream("order-1", [], { ...options, expectedRevision: 1n });
    expect(await failureOf(wrong)).toBeInstanceOf(WrongExpectedVersionError);
    expect(await test.store.lastPosition()).toBe(3n);
  });

  it("preserves binary data byte for byte", async () => {
    const data = Uint8Array.from({ length: 256 }, (__, index) => index);
    await test.client.appendToStream("binary-1", binaryEvent({ type: "B", data, metadata: data }), path);
    const [read] = await collect(test.client.readStream("binary-1"));
    expect(read?.event?.isJson).toBe(false);
    expect(Buffer.from(read?.event?.data as Uint8Array)).toEqual(Buffer.from(data));
    expect(Buffer.from(read?.event?.metadata as Uint8Array)).toEqual(Buffer.from(data));
  });

  it("refuses an append to a tombstoned stream", async () => {
    await test.client.appendToStream("order-1", numbered(1), path);
    await test.client.tombstoneStream("order-1");
    const error = await failureOf(test.client.appendToStream("order-1", numbered(1), path));
    expect(error).toBeInstanceOf(StreamDeletedError);
    expect(error).toMatchObject({ streamName: "order-1" });
  });
});

it("accepts exactly one of 64 concurrent appends with one expected revision", async () => {
  const tries = Array.from({ length: 64 }, () =>
    test.client.appendToStream("race-1", numbered(1), { expectedRevision: NO_STREAM }),
  );
  const results = await Promise.allSettled(tries);
  expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  expect(await collect(test.client.readStream("race-1"))).toHaveLength(1);
});

describe("reading a stream", () => {
  it("goes forwards from a revision inclusively, backwards inclusively, and by count", async () => {
    await test.client.appendToStream("order-1", numbered(10));
    const revisions = async (options: Parameters<typeof test.client.readStream>[1]): Promise<bigint[]> =>
      (await collect(test.client.readStream("order-1", options))).flatMap(
        ({ event }) => event?.revision ?? [],
      );
    expect(await revisions({ fromRevision: 7n })).toEqual([7n, 8n, 9n]);
    expect(await revisions({ fromRevision: START, maxCount: 2 })).toEqual([0n, 1n]);
    expect(await revisions({ fromRevision: END, direction: BACKWARDS, maxCount: 2 })).toEqual([9n, 8n]);
    expect(await revisions({ fromRevision: 1n, direction: BACKWARDS })).toEqual([1n, 0n]);
    expect(await revisions({ fromRevision: 10n })).toEqual([]);
  });

  it("refuses to read nothing, and forwards from the end, as EventStoreDB does", async () => {
    await test.client.appendToStream("order-1", numbered(3));
    for (const stream of ["order-1", "missing-1"]) {
      for (const options of [
        { maxCount: 0 },
        { maxCount: 0, direction: BACKWARDS },
        { fromRevision: END },
      ] as const) {
        const error = await failureOf(collect(test.client.readStream(stream, options)));
        expect(error).toMatchObject({ code: 2 });
        expect(String(error)).toContain("Unexpected ReadStreamResult: Error");
      }
    }
    expect(await collect(test.client.readAll({ maxCount: 0 }))).toEqual([]);
    expect(await collect(test.client.readAll({ fromPosition: END }))).toEqual([]);
  });

  it("reports a missing stream", async () => {
    const error = await failureOf(collect(test.client.readStream("missing-1")));
    expect(error).toBeInstanceOf(StreamNotFoundError);
    expect(error).toMatchObject({ streamName: "missing-1", type: "stream-not-found" });
  });

  it("resolves links, and shows the link alone when its target is deleted", async () => {
    await test.client.appendToStream("order-1", numbered(2));
    await test.client.appendToStream("links-1", [
      binaryEvent({ type: "$>", data: Buffer.from("1@order-1") }),
      jsonEvent({ type: "Plain", data: {} }),
    ]);
    const [first, second] = await collect(test.client.readStream("links-1", { resolveLinkTos: true }));
    expect(first?.event).toMatchObject({ streamId: "order-1", revision: 1n });
    expect(first?.link).toMatchObject({ streamId: "links-1", revision: 0n });
    expect(second).toMatchObject({ event: { type: "Plain" } });
    await test.client.deleteStream("order-1");
    const [orphan] = await collect(test.client.readStream("links-1", { resolveLinkTos: true }));
    expect(orphan?.event).toBeUndefined();
    expect(orphan?.link).toMatchObject({ streamId: "links-1" });
  });
});

describe("reading $all", () => {
  it("returns two thousand events in order, forwards and backwards, with positions that resume", async () => {
    for (let batch = 0; batch < 20; batch += 1) {
      await test.client.appendToStream(`bulk-${String(batch % 3)}`, numbered(100), { expectedRevision: ANY });
    }
    const forwards = (await collect(test.client.readAll())).flatMap(
      ({ event }) => event?.position.commit ?? [],
    );
    expect(forwards).toHaveLength(2_000);
    expect(forwards).toEqual(forwards.toSorted((a, b) => Number(a - b)));
    const backwards = await collect(test.client.readAll({ direction: BACKWARDS, fromPosition: END }));
    expect(backwards.map(({ event }) => event?.position.commit)).toEqual(forwards.toReversed());
    const at = { commit: 1_500n, prepare: 1_500n };
    const rest = await collect(test.client.readAll({ fromPosition: at }));
    expect(rest.map(({ event }) => event?.position.commit)).toEqual(forwards.slice(1_499));
    const before = await collect(
      test.client.readAll({ fromPosition: at, direction: BACKWARDS, maxCount: 2 }),
    );
    expect(before.map(({ event }) => event?.position.commit)).toEqual([1_499n, 1_498n]);
  });

  it("refuses a position that this log has not reached", async () => {
    await test.client.appendToStream("order-1", numbered(1));
    for (const commit of [2n, 999n]) {
      const fromPosition = { commit, prepare: commit };
      for (const direction of [FORWARDS, BACKWARDS] as const) {
        const reading = collect(test.client.readAll({ fromPosition, direction }));
        expect(await failureOf(reading)).toMatchObject({ code: 3 });
      }
      expect(await failureOf(collect(test.client.subscribeToAll({ fromPosition })))).toMatchObject({
        code: 3,
      });
    }
  });

  it("is empty while the log is", async () => {
    expect(await collect(test.client.readAll())).toEqual([]);
  });
});

describe("metadata and deletion", () => {
  it("stores metadata, and hides truncated events", async () => {
    await test.client.appendToStream("order-1", numbered(10));
    expect((await test.client.getStreamMetadata("order-1")).metadata).toBeUndefined();
    await test.client.setStreamMetadata("order-1", { maxCount: 3 });
    expect(await test.client.getStreamMetadata("order-1")).toMatchObject({
      metadata: { maxCount: 3 },
    });
    expect(await collect(test.client.readStream("order-1"))).toHaveLength(3);
    await test.client.setStreamMetadata("order-1", { truncateBefore: 8 });
    const left = await collect(
      test.client.readStream("order-1", { direction: BACKWARDS, fromRevision: END }),
    );
    expect(left.map(({ event }) => event?.revision)).toEqual([9n, 8n]);
    // The store's clock in this test is in the past.
    await test.client.setStreamMetadata("order-1", { maxAge: 1 });
    expect(await collect(test.client.readStream("order-1"))).toEqual([]);
  });

  it("soft-deletes: not found, then revisions continue", async () => {
    const events = numbered(3);
    await test.client.appendToStream("order-1", events, { expectedRevision: NO_STREAM });
    const deleted = await test.client.deleteStream("order-1", { expectedRevision: 2n });
    expect(deleted.position?.commit).toBe(4n);
    expect(await failureOf(collect(test.client.readStream("order-1")))).toBeInstanceOf(StreamNotFoundError);
    const repeated = await test.client.appendToStream("order-1", events, { expectedRevision: NO_STREAM });
    expect(repeated.nextExpectedRevision).toBe(2n);
    expect(await failureOf(collect(test.client.readStream("order-1")))).toBeInstanceOf(StreamNotFoundError);
    const more = numbered(2);
    for (const attempt of ["first", "repeat"]) {
      const again = await test.client.appendToStream("order-1", more, { expectedRevision: NO_STREAM });
      expect(again.nextExpectedRevision, attempt).toBe(4n);
    }
    expect(
      await failureOf(test.client.appendToStream("order-1", numbered(2), { expectedRevision: NO_STREAM })),
    ).toMatchObject({ actualVersion: 4n });
    const read = await collect(test.client.readStream("order-1"));
    expect(read.map(({ event }) => event?.revision)).toEqual([3n, 4n]);
  });

  it("refuses to delete a missing stream, and ends it for good on request", async () => {
    for (const expectedRevision of [ANY, NO_STREAM, 0n] as const) {
      const error = await failureOf(test.client.deleteStream("missing-1", { expectedRevision }));
      expect(error, String(expectedRevision)).toBeInstanceOf(WrongExpectedVersionError);
      expect(error).toMatchObject({ actualVersion: "no_stream" });
    }
    expect(await test.store.lastPosition()).toBeUndefined();
    await test.client.setStreamMetadata("announced-1", { maxCount: 3 });
    expect(await test.client.deleteStream("announced-1")).toMatchObject({ position: { commit: 2n } });
    expect(await test.client.tombstoneStream("missing-1")).toMatchObject({ position: { commit: 3n } });
  });

  it("tombstones for good, and shows it in $all with the largest revision", async () => {
    await test.client.appendToStream("order-1", numbered(1));
    await test.client.tombstoneStream("order-1", { expectedRevision: 0n });
    const error = await failureOf(collect(test.client.readStream("order-1")));
    expect(error).toBeInstanceOf(StreamDeletedError);
    expect(error).toMatchObject({ code: 9, streamName: "order-1" });
    expect(await failureOf(test.client.tombstoneStream("order-1"))).toBeInstanceOf(StreamDeletedError);
    expect(await failureOf(test.client.setStreamMetadata("order-1", { maxCount: 1 }))).toBeInstanceOf(
      StreamDeletedError,
    );
    const last = (await collect(test.client.readAll())).at(-1);
    expect(last?.event).toMatchObject({ type: "$streamDeleted", revision: 9_223_372_036_854_775_807n });
  });

  it("refuses a deletion and a tombstone that expect another revision", async () => {
    await test.client.appendToStream("order-1", numbered(2));
    for (const work of [
      () => test.client.deleteStream("order-1", { expectedRevision: 0n }),
      () => test.client.tombstoneStream("order-1", { expectedRevision: NO_STREAM }),
    ]) {
      const error = await failureOf(work);
      expect(error).toBeInstanceOf(WrongExpectedVersionError);
      expect(error).toMatchObject({ actualVersion: 1n });
    }
    expect(await collect(test.client.readStream("order-1"))).toHaveLength(2);
  });
});
