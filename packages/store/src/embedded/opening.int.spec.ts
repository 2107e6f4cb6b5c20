import { open, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { directoryOfTest } from "@hostledger/runtime/testing";
import { beforeEach, describe, expect, it } from "vitest";

import { newEvents } from "../contract/contract-fixtures.ts";
import { EventStoreFailedError, EventStoreUnavailableError } from "../event-store.port.ts";
import { storedIds } from "./durable-writers.fixture.ts";
import { openTestStore } from "./test-store.fixture.ts";

let folder = "";
let path = "";
beforeEach(() => {
  folder = directoryOfTest();
  path = join(folder, "events.sqlite");
});

async function expectRefused(sentence: string): Promise<void> {
  const opening = openTestStore(path);
  await expect(opening).rejects.toBeInstanceOf(EventStoreFailedError);
  await expect(opening).rejects.toThrow(sentence);
}

async function makeStore(): Promise<void> {
  const store = await openTestStore(path);
  await store.append("account-1", "no-stream", newEvents(500));
  await store.close();
}

describe("opening", () => {
  it("refuses a SQLite file of another program and leaves it unchanged", async () => {
    const foreign = new DatabaseSync(path);
    foreign.exec("CREATE TABLE notes (text TEXT)");
    foreign.close();
    const before = await readFile(path);
    await expectRefused(`${path} is a SQLite file of another program, not a Hostledger event store`);
    expect(await readFile(path)).toEqual(before);
  });

  it("refuses a file that is no SQLite file", async () => {
    await writeFile(path, "These are my notes. ".repeat(100));
    await expectRefused(`the event store ${path} cannot be opened: file is not a database`);
  });

  it("refuses a store of a newer format", async () => {
    await makeStore();
    const store = new DatabaseSync(path);
    store.exec("PRAGMA user_version = 2");
    store.close();
    await expectRefused(`${path} has the event store format 2, this version of Hostledger knows format 1`);
  });

  it("refuses a path in a folder that does not exist", async () => {
    path = join(folder, "missing", "events.sqlite");
    await expectRefused(`the event store ${path} cannot be opened: unable to open database file`);
  });

  it("reports a damaged store", async () => {
    await makeStore();
    const file = await open(path, "r+");
    const { size } = await file.stat();
    await file.write(Buffer.alloc(size - 4_096, 0xa5), 0, size - 4_096, 4_096);
    await file.close();
    await expectRefused(`the event store ${path} cannot be opened: database disk image is malformed`);
  });

  it("reports damage that is found only by reading", async () => {
    await makeStore();
    const file = await open(path, "r+");
    await file.write(Buffer.alloc(4_096, 0xa5), 0, 4_096, 10 * 4_096);
    await file.close();
    const store = await openTestStore(path);
    const reading = storedIds(store);
    await expect(reading).rejects.toBeInstanceOf(EventStoreFailedError);
    await expect(reading).rejects.toThrow(`the event store ${path} cannot be read: `);
    expect(await store.append("account-2", "no-stream", newEvents(1))).toMatchObject({ revision: 0n });
    await store.close();
  });

  it("makes a store of an empty file", async () => {
    await writeFile(path, "");
    await makeStore();
  });
});

describe("limits and endings of the embedded store", () => {
  it("refuses appends beyond the limit, and accepts them again when there is room", async () => {
    const store = await openTestStore(path, { queueLimit: 3 });
    const attempts = await Promise.allSettled(
      newEvents(5).map((event, index) => store.append(`account-${String(index)}`, "no-stream", [event])),
    );
    expect(attempts.map(({ status }) => status)).toEqual([
      "fulfilled",
      "fulfilled",
      "fulfilled",
      "rejected",
      "rejected",
    ]);
    expect(attempts[4]).toMatchObject({ reason: { name: "EventStoreOverloadedError" } });
    expect(await store.append("account-9", "no-stream", newEvents(1))).toMatchObject({ revision: 0n });
    await store.close();
  });

  it("refuses to follow a position that another store gave", async () => {
    const store = await openTestStore(path);
    await store.append("account-1", "no-stream", newEvents(2));
    const first = store.subscribe({ from: 3n })[Symbol.asyncIterator]().next();
    await expect(first).rejects.toThrow("position 3 is beyond the end of the event store (2)");
    await store.close();
  });

  it("does nothing more once it is closed", async () => {
    const store = await openTestStore(path);
    await store.close();
    await store.close();
    await expect(store.append("account-1", "any", newEvents(1))).rejects.toBeInstanceOf(
      EventStoreUnavailableError,
    );
    await expect(store.lastPosition()).rejects.toBeInstanceOf(EventStoreUnavailableError);
    await expect(store.read("account-1")[Symbol.asyncIterator]().next()).rejects.toBeInstanceOf(
      EventStoreUnavailableError,
    );
  });
});
