import { randomUUID } from "node:crypto";
import { join } from "node:path";

import { openEventStoreDb } from "@hostledger/esdb";
import { startEventStoreNode } from "@hostledger/esdb/node";
import { withAppend, type EventStore, type RecordedEvent } from "@hostledger/store";
import { systemClock } from "@hostledger/runtime";
import { directoryOfTest } from "@hostledger/runtime/testing";
import { rootOf } from "@hostledger/audit/log";
import { beforeEach, expect, it } from "vitest";

import { appendEvents, openTestLog, openTestStore, tilesOnDisk, untilCovered } from "./audit-log.fixture.ts";

let folder = "";
beforeEach(() => {
  folder = directoryOfTest();
});

const silent = { info: () => undefined, error: () => undefined };

/** Starts a node over a new store, and connects the adapter. */
async function startServed(
  name: string,
): Promise<{ embedded: EventStore; store: EventStore; stop(): Promise<void> }> {
  const embedded = await openTestStore(folder, name);
  const node = await startEventStoreNode({
    store: embedded,
    host: "127.0.0.1",
    port: 0,
    writers: "anyone",
    logger: silent,
  });
  const store = await openEventStoreDb({
    connectionString: `esdb://127.0.0.1:${String(node.port)}?tls=false`,
  });
  return {
    embedded,
    store,
    async stop() {
      await store.close();
      await node.close();
      await embedded.close();
    },
  };
}

/** Appends an event like the engine's own for persistent groups and metadata. */
const appendOwn = (store: EventStore): Promise<unknown> =>
  store.append(`$own-${randomUUID()}`, "no-stream", [
    { id: randomUUID(), type: "$settings", data: "{}", metadata: "{}" },
  ]);

async function eventsOf(store: EventStore, count: number): Promise<readonly RecordedEvent[]> {
  const events: RecordedEvent[] = [];
  for await (const batch of store.subscribe({ from: "start" })) {
    events.push(...batch.events);
    if (events.length >= count) break;
  }
  return events;
}

it("logs an EventStoreDB, without the engine's own streams, across restarts", async () => {
  const { embedded, store, stop } = await startServed("events.sqlite");
  await appendOwn(embedded);
  await appendEvents(embedded, 300);
  await appendOwn(embedded);
  let log = await openTestLog(store, folder);
  await log.ready();
  await untilCovered(log, 300);
  await appendEvents(store, 400);
  await appendOwn(embedded);
  await untilCovered(log, 700);
  const { note } = log.checkpoint();
  await log.close();

  log = await openTestLog(store, folder);
  await log.ready();
  expect(log.health()).toEqual({ status: "following" });
  expect(log.checkpoint().note).toBe(note);
  await appendEvents(store, 50);
  await untilCovered(log, 750);
  const { root } = log.checkpoint();
  expect(await rootOf(750, tilesOnDisk(folder))).toEqual(root);
  const events = await eventsOf(store, 750);
  const wanted = [0, 255, 256, 299, 300, 512, 749];
  for (const index of wanted) {
    const event = events[index];
    if (event === undefined) throw new Error(`the store has no event ${String(index)}`);
    expect(await log.indexOf(event)).toBe(index);
    expect(await log.entries(index, 1)).toEqual([
      expect.objectContaining({ id: event.id, data: event.data }),
    ]);
  }
  await log.close();

  // The same events in the embedded engine give the same log.
  const other = join(folder, "embedded");
  const direct = await openTestLog(embedded, other);
  await untilCovered(direct, 750);
  expect(direct.checkpoint().root).toEqual(root);
  await direct.close();
  await stop();
});

it("stops at an EventStoreDB that is behind", async () => {
  const first = await startServed("events.sqlite");
  await appendEvents(first.store, 300);
  const log = await openTestLog(first.store, folder);
  await untilCovered(log, 300);
  await log.close();
  await first.stop();
  for (const count of [0, 100, 270]) {
    const other = await startServed(`other-${String(count)}.sqlite`);
    if (count > 0) await appendEvents(other.store, count);
    const again = await openTestLog(other.store, folder);
    await again.ready();
    expect(again.health().status).toBe("stopped");
    await again.close();
    await other.stop();
  }
});

it("no longer reads a restored store, even after the store has grown past the old end", async () => {
  const first = await startServed("events.sqlite");
  await appendEvents(first.store, 300);
  const log = await openTestLog(first.store, folder);
  await untilCovered(log, 300);
  await log.close();
  await first.stop();

  const older = await startServed("older.sqlite");
  await appendEvents(older.store, 100);
  let subscriptions = 0;
  const counted: EventStore = {
    ...withAppend(older.store, (...appended) => older.store.append(...appended)),
    subscribe(options) {
      subscriptions += 1;
      return older.store.subscribe(options);
    },
  };
  for (const grown of [0, 400]) {
    if (grown > 0) await appendEvents(older.store, grown);
    const again = await openTestLog(counted, folder);
    await again.ready();
    const asked = subscriptions;
    await appendEvents(older.store, 5);
    await systemClock().sleep(2_000);
    expect(subscriptions).toBe(asked);
    expect(again.health()).toMatchObject({ status: "stopped" });
    expect(again.contradicted).toBeDefined();
    await again.close();
  }
  await older.stop();
});
