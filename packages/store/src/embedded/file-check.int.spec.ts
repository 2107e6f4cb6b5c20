import { closeSync, openSync, readSync, truncateSync, writeSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

import { directoryOfTest } from "@hostledger/runtime/testing";
import { beforeEach, describe, expect, it } from "vitest";

import { openEmbeddedEventStore } from "./embedded-event-store.adapter.ts";
import { checkStoreFile } from "./file-check.ts";

const pageBytes = 4_096;

let folder = "";
let path = "";
beforeEach(async () => {
  folder = directoryOfTest();
  path = join(folder, "events.sqlite");
  const store = await openEmbeddedEventStore({
    path,
    now: () => "2026-03-01T10:00:00.000000Z",
    onFailure: () => undefined,
  });
  const events = Array.from({ length: 100 }, () => ({
    id: crypto.randomUUID(),
    type: "Written.v1",
    data: "{}",
    metadata: "{}",
  }));
  await store.append("writer-1", "no-stream", events);
  await store.close();
});

/** Changes a row number in the only page of the index of streams and revisions. */
function damageIndex(): void {
  const database = new DatabaseSync(path);
  const found = database.prepare(
    "SELECT rootpage FROM sqlite_schema WHERE name = 'sqlite_autoindex_events_1'",
  );
  const end = Number(found.get()?.rootpage) * pageBytes;
  database.close();
  const file = openSync(path, "r+");
  const last = Buffer.alloc(1);
  readSync(file, last, 0, 1, end - 1);
  writeSync(file, Buffer.from([(last[0] ?? 0) ^ 1]), 0, 1, end - 1);
  closeSync(file);
}

describe("the check of a store's file", () => {
  it.each(["quick", "whole"] as const)("finds nothing in a right one: %s", async (how) => {
    expect(await checkStoreFile(path, how)).toEqual([]);
  });

  it("names an index that lacks rows, which REINDEX mends", async () => {
    damageIndex();
    const problems = await checkStoreFile(path, "whole");
    expect(problems[0]).toMatch(/index sqlite_autoindex_events_1/u);
    expect(problems.length).toBeLessThanOrEqual(20);
    const database = new DatabaseSync(path);
    database.exec("REINDEX");
    database.close();
    expect(await checkStoreFile(path, "whole")).toEqual([]);
  });

  it.each([
    [
      "a page that was written over",
      (): void => {
        const file = openSync(path, "r+");
        writeSync(file, Buffer.alloc(pageBytes, 0xa5), 0, pageBytes, 5 * pageBytes);
        closeSync(file);
      },
    ],
    [
      "an end that is gone",
      (): void => {
        truncateSync(path, 5 * pageBytes);
      },
    ],
    [
      "a file that is none of SQLite's",
      (): void => {
        const file = openSync(path, "r+");
        writeSync(file, Buffer.alloc(100, 0x41), 0, 100, 0);
        closeSync(file);
      },
    ],
  ])("names %s", async (_what, damage) => {
    damage();
    expect((await checkStoreFile(path, "quick")).length).toBeGreaterThan(0);
  });
});
