/** The usage that the documentation of `@eventstore/db-client` shows, step by step, against the node. */
import {
  BACKWARDS,
  END,
  EventStoreDBClient,
  eventTypeFilter,
  excludeSystemEvents,
  FORWARDS,
  jsonEvent,
  NO_STREAM,
  PARK,
  persistentSubscriptionToAllSettingsFromDefaults,
  persistentSubscriptionToStreamSettingsFromDefaults,
  START,
  streamNameFilter,
  StreamDeletedError,
  StreamNotFoundError,
  WrongExpectedVersionError,
  type JSONEventType,
} from "@eventstore/db-client";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { collect, failureOf, startTestNode, type TestNode } from "./node.fixture.ts";

type SeatReserved = JSONEventType<
  "seat-reserved",
  { reservationId: string; movieId: string; userId: string; seatId: string }
>;
type SeatChanged = JSONEventType<"seat-changed", { reservationId: string; newSeatId: string }>;
type ReservationEvents = SeatReserved | SeatChanged;

const stream = "booking-abc123";
const reserved = () =>
  jsonEvent<SeatReserved>({
    type: "seat-reserved",
    data: { reservationId: "abc123", movieId: "tt0368226", userId: "nm0802995", seatId: "4b" },
  });
const changed = () =>
  jsonEvent<SeatChanged>({ type: "seat-changed", data: { reservationId: "abc123", newSeatId: "5c" } });

let test: TestNode;
let client: EventStoreDBClient;
beforeEach(async () => {
  test = await startTestNode();
  client = new EventStoreDBClient({ endpoint: `127.0.0.1:${String(test.node.port)}` }, { insecure: true });
});
afterEach(async () => {
  expect(test.bugs).toEqual([]);
  await client.dispose();
  await test.stop();
});

describe("the first example", () => {
  it("appends an event and reads it back, typed", async () => {
    const result = await client.appendToStream<ReservationEvents>(stream, [reserved(), changed()]);
    expect(result).toMatchObject({ success: true, nextExpectedRevision: 1n });
    const reservation: Record<string, string> = {};
    const events = client.readStream<ReservationEvents>(stream, {
      fromRevision: START,
      direction: FORWARDS,
      maxCount: 10,
    });
    for await (const { event } of events) {
      if (event?.type === "seat-reserved") Object.assign(reservation, event.data);
      if (event?.type === "seat-changed") reservation.seatId = event.data.newSeatId;
    }
    expect(reservation).toMatchObject({ reservationId: "abc123", movieId: "tt0368226", seatId: "5c" });
  });
});

describe("appending", () => {
  it("handles concurrency with the revision that was read", async () => {
    await client.appendToStream(stream, reserved(), { expectedRevision: NO_STREAM });
    const [last] = await collect(
      client.readStream(stream, { fromRevision: END, direction: BACKWARDS, maxCount: 1 }),
    );
    const expectedRevision = last?.event?.revision ?? NO_STREAM;
    await client.appendToStream(stream, changed(), { expectedRevision });
    const late = await failureOf(client.appendToStream(stream, changed(), { expectedRevision }));
    expect(late).toBeInstanceOf(WrongExpectedVersionError);
    expect(late).toMatchObject({ expectedVersion: 0n, actualVersion: 1n });
  });
});

describe("subscribing", () => {
  it("receives a stream from its start and continues live", async () => {
    await client.appendToStream(stream, reserved());
    const heard: string[] = [];
    const subscription = client
      .subscribeToStream<ReservationEvents>(stream, { fromRevision: START })
      .on("data", ({ event }) => heard.push(event?.type ?? ""));
    await vi.waitFor(() => {
      expect(heard).toEqual(["seat-reserved"]);
    });
    await client.appendToStream(stream, changed());
    await vi.waitFor(() => {
      expect(heard).toEqual(["seat-reserved", "seat-changed"]);
    });
    await subscription.unsubscribe();
  });

  it.each([
    ["by stream prefix", streamNameFilter({ prefixes: ["booking-"] })],
    ["by event type", eventTypeFilter({ regex: "^seat-" })],
    ["without system events", excludeSystemEvents()],
  ])("receives $all filtered %s", async (_, filter) => {
    await client.setStreamMetadata(stream, { maxCount: 100 });
    await client.appendToStream(stream, [reserved(), changed()]);
    const heard: string[] = [];
    const subscription = client.subscribeToAll({ fromPosition: START, filter });
    subscription.on("data", ({ event }) => heard.push(event?.type ?? ""));
    await vi.waitFor(() => {
      expect(heard).toEqual(["seat-reserved", "seat-changed"]);
    });
    await subscription.unsubscribe();
  });
});

describe("persistent subscriptions", () => {
  it("to a stream: acknowledges events, and parks failed ones", async () => {
    await client.createPersistentSubscriptionToStream(
      stream,
      "seating",
      persistentSubscriptionToStreamSettingsFromDefaults({ startFrom: START }),
    );
    await client.appendToStream(stream, [reserved(), changed()]);
    const subscription = client.subscribeToPersistentSubscriptionToStream<ReservationEvents>(
      stream,
      "seating",
    );
    const handled: string[] = [];
    for await (const event of subscription) {
      handled.push(event.event?.type ?? "");
      if (event.event?.type === "seat-reserved") await subscription.ack(event);
      else {
        await subscription.nack(PARK, "no such seat", event);
        break;
      }
    }
    expect(handled).toEqual(["seat-reserved", "seat-changed"]);
    await vi.waitFor(async () => {
      const info = await client.getPersistentSubscriptionToStreamInfo(stream, "seating");
      expect(info.stats.parkedMessageCount).toBe(1n);
    });
    await client.deletePersistentSubscriptionToStream(stream, "seating");
  });

  it("to $all: filtered, acknowledged, updated, listed and deleted", async () => {
    const settings = persistentSubscriptionToAllSettingsFromDefaults({ startFrom: START });
    const filter = streamNameFilter({ prefixes: ["booking-"] });
    await client.createPersistentSubscriptionToAll("everything", settings, { filter });
    await client.appendToStream("other-1", reserved());
    await client.appendToStream(stream, reserved());
    const subscription = client.subscribeToPersistentSubscriptionToAll("everything");
    for await (const event of subscription) {
      expect(event.event?.streamId).toBe(stream);
      await subscription.ack(event);
      break;
    }
    await client.updatePersistentSubscriptionToAll("everything", settings);
    const groups = await client.listPersistentSubscriptionsToAll();
    expect(groups.map(({ groupName }) => groupName)).toEqual(["everything"]);
    await client.deletePersistentSubscriptionToAll("everything");
  });
});

describe("metadata and deletion", () => {
  it("stores metadata of a stream and reads it back", async () => {
    await client.appendToStream(stream, [reserved(), changed()]);
    await client.setStreamMetadata(stream, { maxCount: 1, owner: "box office" });
    const { metadata } = await client.getStreamMetadata(stream);
    expect(metadata).toMatchObject({ maxCount: 1, owner: "box office" });
    expect(await collect(client.readStream(stream))).toHaveLength(1);
  });

  it("deletes a stream, which may begin again, and tombstones it, which may not", async () => {
    await client.appendToStream(stream, reserved());
    expect(await client.deleteStream(stream)).toMatchObject({ position: { commit: 2n } });
    expect(await failureOf(collect(client.readStream(stream)))).toBeInstanceOf(StreamNotFoundError);
    const again = await client.appendToStream(stream, changed(), { expectedRevision: NO_STREAM });
    expect(again.nextExpectedRevision).toBe(1n);
    expect((await client.tombstoneStream(stream)).position?.commit).toBeGreaterThan(2n);
    expect(await failureOf(collect(client.readStream(stream)))).toBeInstanceOf(StreamDeletedError);
    expect(await failureOf(client.appendToStream(stream, changed()))).toBeInstanceOf(StreamDeletedError);
  });
});
