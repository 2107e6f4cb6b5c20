import { copyFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

import { openEmbeddedEventStore } from "@hostledger/event-store";
import { createShutdown, silentLogger, systemClock } from "@hostledger/runtime";
import { describe, expect, it, onTestFinished } from "vitest";

import { readConfiguration } from "./configuration/index.ts";
import { cutting, request, start, temporaryData } from "./standalone.fixture.ts";
import { compareStoreMarks } from "./store-mark.ts";

/** A data directory of an instance that was used and closed, and a customer's key. */
async function used(): Promise<{ readonly data: string; readonly apiKey: string }> {
  const data = temporaryData();
  const instance = await start(data);
  const demo = await instance.openDemo();
  await instance.close();
  // The next start knows whose store it is.
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
    // It is as it was: the store that it belongs to takes it.
    const again = await start(other.data);
    expect((await request(again, other.apiKey, "/tickets")).status).toBe(200);
  });

  it("is compared where its keys are in PostgreSQL, too", async () => {
    const raw = await openEmbeddedEventStore({
      path: join(temporaryData(), "events.sqlite"),
      now: () => "2026-03-01T10:00:00.000000Z",
      onFailure(error) {
        throw error;
      },
    });
    onTestFinished(() => raw.close());
    const logger = silentLogger();
    const comparing = compareStoreMarks(
      {
        configuration: readConfiguration({
          HOSTLEDGER_DATA: temporaryData(),
          HOSTLEDGER_DATABASE: "postgres://localhost/hostledger",
        }),
        logger,
        shutdown: createShutdown({ logger, stepLimitMs: 1_000 }),
      },
      raw,
      {
        clock: systemClock(),
        keys: {
          firstFact: () => Promise.resolve("another"),
          markFirstFact: () => Promise.reject(new Error("it is marked already")),
        },
      },
    );
    await expect(comparing).rejects.toThrow(
      "hostledger_keys in PostgreSQL (the keys of personal data) belongs to another event store, which begins with the fact another; the present one is empty: bring back",
    );
  });

  it("that is left of a store that is gone is noticed too", async () => {
    const { data } = await used();
    for (const suffix of ["", "-wal", "-shm"]) rmSync(join(data, `events.sqlite${suffix}`), { force: true });
    await expect(start(data)).rejects.toThrow(/belongs to another event store, .* the present one is empty/);
  });

  it("goes on beside a copy of its store that is older", async () => {
    const { data } = await used();
    const older = await start(cutting(data).keepOnly(cutting(data).types.length - 3));
    expect((await fetch(new URL("/readyz", older.baseUrl))).status).toBe(200);
  });
});
