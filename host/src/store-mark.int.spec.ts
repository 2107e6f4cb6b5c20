import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { copyFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

import { openEmbeddedEventStore, type EventStore } from "@hostledger/store";
import type { SubjectKeys } from "@hostledger/store/personal-data";
import { createShutdown, silentLogger, systemClock, type Clock } from "@hostledger/runtime";
import { directoryOfTest } from "@hostledger/runtime/testing";
import { describe, expect, it, onTestFinished } from "vitest";

import { readConfiguration } from "./configuration/index.ts";
import { cutting, request, start } from "./standalone.fixture.ts";
import { compareStoreMarks } from "./store-mark.ts";

/** A data directory of an instance that was used and closed, and a customer's key. */
async function used(): Promise<{ readonly data: string; readonly apiKey: string }> {
  const data = directoryOfTest();
  const instance = await start(data);
  const demo = await instance.openDemo();
  await instance.close();
  // The first start writes the marks that the next start compares.
  await (await start(data)).close();
  await expect.poll(() => markOf(join(data, "subject-keys.sqlite"))).toBeDefined();
  await expect.poll(() => markOf(join(data, "sandbox.sqlite"))).toBeDefined();
  return { data, apiKey: demo?.apiKey ?? "" };
}

function markOf(path: string): unknown {
  const file = new DatabaseSync(path);
  try {
    return file.prepare("SELECT first_fact FROM store_mark").get()?.first_fact;
  } finally {
    file.close();
  }
}

/** Files of a database in another directory, in place of those that are there. */
function putInPlace(name: string, from: string, to: string): void {
  for (const suffix of ["-wal", "-shm"]) rmSync(join(to, name + suffix), { force: true });
  copyFileSync(join(from, name), join(to, name));
}

describe("a file beside the store", () => {
  it.each([
    ["the keys of personal data", "subject-keys.sqlite"],
    ["what the simulated parties hold", "sandbox.sqlite"],
  ])("that is another store's (%s) is noticed at the start, with a clear sentence", async (what, name) => {
    const [mine, other] = [await used(), await used()];
    putInPlace(name, other.data, mine.data);
    await expect(start(mine.data)).rejects.toThrow(
      new RegExp(
        `${name} \\(${what}\\) belongs to another event store, .* the present one begins with .*: bring back`,
      ),
    );
    // The refused start changed nothing, so its own store still accepts the directory.
    const again = await start(other.data);
    expect((await request(again, other.apiKey, "/tickets")).status).toBe(200);
  });

  it("is compared if its keys are in PostgreSQL, too", async () => {
    const marked = { firstEvent: () => Promise.resolve("another"), find: () => Promise.resolve(new Map()) };
    await expect(compareOnPostgres(await rawStore(), marked)).rejects.toThrow(
      "hostledger_keys in PostgreSQL (the keys of personal data) was used with an event store that begins with the event another: restore the event store",
    );
  });

  it("is refused in PostgreSQL if it has no keys, although texts of the store are sealed", async () => {
    const raw = await rawStore();
    const none = { firstEvent: () => Promise.resolve(undefined), find: () => Promise.resolve(new Map()) };
    await raw.append("account-1", "no-stream", [
      { id: randomUUID(), type: "AccountOpened.v1", data: '{"name":"sealed:v2:…"}', metadata: "{}" },
    ]);
    await expect(compareOnPostgres(raw, none)).rejects.toThrow(
      "hostledger_keys in PostgreSQL is empty, but this event store has sealed texts: name the other processes' database",
    );
    // A process that died before it had named the store has left the key.
    const find = () => Promise.resolve(new Map([["account-1", new Uint8Array(32)]]));
    await compareOnPostgres(raw, { ...none, find });
  });

  it("is taken in PostgreSQL by a store in which nothing is sealed yet", async () => {
    const raw = await rawStore();
    const none = { firstEvent: () => Promise.resolve(undefined), find: () => Promise.resolve(new Map()) };
    await compareOnPostgres(raw, none);
    await raw.append("account-1", "no-stream", [
      { id: randomUUID(), type: "AccountOpened.v1", data: '{"name":"Ada"}', metadata: "{}" },
    ]);
    await compareOnPostgres(raw, none);
  });

  it("of a store that no longer exists is noticed too", async () => {
    const { data } = await used();
    for (const suffix of ["", "-wal", "-shm"]) rmSync(join(data, `events.sqlite${suffix}`), { force: true });
    await expect(start(data)).rejects.toThrow(/events\.sqlite is empty, but .* restore the event store/);
  });

  it("is not reported for an emptied store", async () => {
    const { data } = await used();
    for (const suffix of ["-wal", "-shm"]) rmSync(join(data, `events.sqlite${suffix}`), { force: true });
    writeFileSync(join(data, "events.sqlite"), "");
    await expect(start(data)).rejects.toThrow(
      /^\S*events\.sqlite is empty, but .*sandbox\.sqlite \(what the simulated parties hold\) was used with an event store that begins with the event .*: restore the event store from a backup/,
    );
  });

  it("is named once its owner, in this very thread, has ended its transaction", async () => {
    const data = directoryOfTest();
    const path = join(data, "sandbox.sqlite");
    const owner = new DatabaseSync(path);
    onTestFinished(() => {
      owner.close();
    });
    const raw = await rawStore();
    const firstEvent = randomUUID();
    await raw.append("account-1", "no-stream", [
      { id: firstEvent, type: "AccountOpened.v1", data: "{}", metadata: "{}" },
    ]);
    owner.exec("PRAGMA journal_mode = WAL; BEGIN IMMEDIATE");
    const clock: Clock = {
      ...systemClock(),
      async sleep(_milliseconds, signal) {
        // Blocking the thread until the file is free would wait for ever.
        if (owner.isTransaction) owner.exec("COMMIT");
        else if (signal !== undefined && !signal.aborted) await once(signal, "abort");
      },
    };
    const none = { firstEvent: () => Promise.resolve(undefined), find: () => Promise.resolve(new Map()) };
    await compare(raw, none, { environment: { HOSTLEDGER_DATA: data }, clock });
    await expect.poll(() => markOf(path)).toBe(firstEvent);
  });

  it("stays valid beside an older copy of its store", async () => {
    const { data } = await used();
    const older = await start(cutting(data).keepOnly(cutting(data).types.length - 3));
    expect((await fetch(new URL("/readyz", older.baseUrl))).status).toBe(200);
  });
});

async function rawStore(): Promise<EventStore> {
  const raw = await openEmbeddedEventStore({
    path: join(directoryOfTest(), "events.sqlite"),
    now: () => "2026-03-01T10:00:00.000000Z",
    onFailure(error) {
      throw error;
    },
  });
  onTestFinished(() => raw.close());
  return raw;
}

function compareOnPostgres(raw: EventStore, keys: Pick<SubjectKeys, "find" | "firstEvent">): Promise<void> {
  const environment = {
    HOSTLEDGER_DATA: directoryOfTest(),
    HOSTLEDGER_DATABASE: "postgres://localhost/hostledger",
  };
  return compare(raw, keys, { environment });
}

async function compare(
  raw: EventStore,
  keys: Pick<SubjectKeys, "find" | "firstEvent">,
  {
    environment,
    clock = systemClock(),
  }: {
    readonly environment: Readonly<Record<string, string>>;
    readonly clock?: Clock;
  },
): Promise<void> {
  const logger = silentLogger();
  const shutdown = createShutdown({ logger, stepLimitMs: 1_000 });
  onTestFinished(async () => {
    await shutdown.run();
  });
  await compareStoreMarks({ configuration: readConfiguration(environment), logger, shutdown }, raw, {
    clock,
    keys: { ...keys, markFirstEvent: () => Promise.resolve() },
  });
}
