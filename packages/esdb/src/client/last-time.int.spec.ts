import { join } from "node:path";

import { newEvents, openTestStore } from "@hostledger/store/testing";
import { directoryOfTest } from "@hostledger/runtime/testing";
import { expect, it } from "vitest";

import { startEventStoreNode } from "../node/index.ts";
import { openEventStoreDb } from "./eventstoredb-event-store.adapter.ts";

const time = (day: number): string => `2026-01-${String(day).padStart(2, "0")}T00:00:00.000000Z`;

it("returns the time of the last event, also after later events of EventStoreDB itself", async () => {
  const folder = directoryOfTest();
  let day = 20;
  const embedded = await openTestStore(join(folder, "events.sqlite"), { now: () => time(day) });
  const logger = { info: () => undefined, error: () => undefined };
  const options = { host: "127.0.0.1", port: 0, writers: "anyone", logger } as const;
  const node = await startEventStoreNode({ store: embedded, ...options });
  const store = await openEventStoreDb({ connectionString: node.connectionString });
  expect(await store.lastTime?.()).toBeUndefined();
  await store.append("account-1", "no-stream", newEvents(1));
  // The machine's clock went back, by which an untrusted clock is detected.
  day = 10;
  await embedded.append("$stats-127.0.0.1:2113", "any", newEvents(1));
  expect(await store.lastTime?.()).toBe(time(20));
  await embedded.append("$stats-127.0.0.1:2113", "any", newEvents(300));
  expect(await store.lastTime?.()).toBe(time(10));
  await store.close();
  await node.close();
  await embedded.close();
});
