import { copyFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { directoryOfTest } from "@hostledger/runtime/testing";
import { afterEach, beforeEach, expect, it } from "vitest";

import type { EventStore, RecordedEvent } from "../event-store.port.ts";
import { copyEvents, joinEvents } from "./store-copy.ts";
import { openTestStore } from "./test-store.fixture.ts";

let directory: string;
const opened: EventStore[] = [];

beforeEach(() => {
  directory = directoryOfTest();
});

afterEach(async () => {
  for (const store of opened.splice(0)) await store.close();
});

const at = (name: string): string => join(directory, name);

async function open(name: string): Promise<EventStore> {
  const store = await openTestStore(at(name));
  opened.push(store);
  return store;
}

/** Appends numbered events to a stream. @param from revision of the first event */
async function append(store: EventStore, stream: string, count: number, from = 0): Promise<void> {
  for (let revision = from; revision < from + count; revision += 1) {
    const id = crypto.randomUUID();
    const event = { id, type: "Noted.v1", data: `{"n":"${String(revision)} ü"}`, metadata: "{}" };
    await store.append(stream, revision === 0 ? "no-stream" : BigInt(revision - 1), [event]);
  }
}

async function everything(store: EventStore): Promise<readonly RecordedEvent[]> {
  const events: RecordedEvent[] = [];
  for await (const batch of store.subscribe({ from: "start" })) {
    events.push(...batch.events);
    if (batch.caughtUp) break;
  }
  return events;
}

it("restores the same store, from a copy in use and the later events", async () => {
  const store = await open("store");
  await append(store, "account-1", 3);
  await append(store, "$settings", 1);
  const first = copyEvents({ from: at("store"), to: at("one") });
  expect(first).toMatchObject({ position: 4, streams: 2, events: 4 });
  await append(store, "account-2", 2);
  await append(store, "account-1", 1, 3);
  const second = copyEvents({ from: at("store"), to: at("two"), after: first });
  expect(second).toMatchObject({ position: 7, streams: 3, events: 7, firstId: first.firstId });

  expect(joinEvents(at("joined"), [at("one"), at("two")])).toEqual(second);
  const joined = await open("joined");
  expect(await everything(joined)).toEqual(await everything(store));
  await append(joined, "account-1", 1, 4);
  await append(joined, "account-3", 1);
  expect(await joined.lastPosition()).toBe(9n);
});

it("finds that nothing came, also of a store that was closed, and that a store is empty", async () => {
  const store = await open("store");
  const none = copyEvents({ from: at("store"), to: at("none") });
  expect(none).toEqual({ position: 0, streams: 0, events: 0, firstId: "", lastHash: "" });
  await append(store, "account-1", 2);
  await store.close();
  const first = copyEvents({ from: at("store"), to: at("one"), after: none });
  expect(copyEvents({ from: at("store"), to: at("two"), after: first })).toEqual(first);
  expect(joinEvents(at("joined"), [at("none"), at("one"), at("two")])).toEqual(first);
});

it("copies a store of an interrupted machine: the last events are in its log only", async () => {
  const store = await open("store");
  await append(store, "account-1", 3);
  for (const suffix of ["", "-wal"]) copyFileSync(at(`store${suffix}`), at(`cut${suffix}`));
  expect(copyEvents({ from: at("cut"), to: at("one") })).toMatchObject({ position: 3, events: 3 });
});

it("refuses to continue with another store, and with one that is older than the copy", async () => {
  const store = await open("store");
  await append(store, "account-1", 2);
  const older = copyEvents({ from: at("store"), to: at("older") });
  await append(store, "account-1", 1, 2);
  const first = copyEvents({ from: at("store"), to: at("one") });
  const other = await open("other");
  await append(other, "account-1", 4);
  const another = /is of another store/;
  expect(() => copyEvents({ from: at("other"), to: at("two"), after: first })).toThrow(another);
  joinEvents(at("restored"), [at("older")]);
  expect(() => copyEvents({ from: at("restored"), to: at("three"), after: first })).toThrow(another);
  // After a restore and further use, another event has the last position.
  const restored = await open("restored");
  await append(restored, "account-1", 2, older.events);
  expect(() => copyEvents({ from: at("restored"), to: at("four"), after: first })).toThrow(another);
});

it("refuses copies that do not follow each other, and files that are no store", async () => {
  const store = await open("store");
  await append(store, "account-1", 2);
  const first = copyEvents({ from: at("store"), to: at("one") });
  await append(store, "account-1", 2, 2);
  const second = copyEvents({ from: at("store"), to: at("two"), after: first });
  await append(store, "account-1", 2, 4);
  copyEvents({ from: at("store"), to: at("three"), after: second });
  expect(() => joinEvents(at("joined"), [at("one"), at("three")])).toThrow(/incomplete/);
  writeFileSync(at("text"), "nothing that a database would say, a hundred times over. ".repeat(100));
  expect(() => copyEvents({ from: at("text"), to: at("four") })).toThrow(/cannot be opened/);
  expect(() => joinEvents(at("again"), [at("text")])).toThrow(/cannot be opened/);
});
