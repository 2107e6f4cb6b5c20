import { closeSync, openSync, truncateSync, writeSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { openEmbeddedEventStore } from "./embedded-event-store.adapter.ts";
import { checkStoreFile } from "./file-check.ts";

let folder = "";
let path = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "hostledger-file-check-"));
  path = join(folder, "events.sqlite");
  const store = await openEmbeddedEventStore({
    path,
    now: () => "2026-03-01T10:00:00.000000Z",
    onFailure: () => undefined,
  });
  const events = Array.from({ length: 500 }, () => ({
    id: crypto.randomUUID(),
    type: "Written.v1",
    data: "{}",
    metadata: "{}",
  }));
  await store.append("writer-1", "no-stream", events);
  await store.close();
});
afterEach(() => rm(folder, { recursive: true }));

/** Takes a row out of an index behind SQLite's back: the index is not known while the row goes. */
function damageIndex(): void {
  const database = new DatabaseSync(path, { defensive: false });
  const index = "sqlite_autoindex_events_1";
  const { rootpage } = database.prepare("SELECT rootpage FROM sqlite_schema WHERE name = ?").get(index) ?? {};
  // An index on nothing takes its place, so that the pages of the right one are lost to the file.
  database.exec("PRAGMA writable_schema = ON");
  database.exec("CREATE TABLE other (a, b, UNIQUE (a, b))");
  const other = database
    .prepare("SELECT rootpage FROM sqlite_schema WHERE name = 'sqlite_autoindex_other_1'")
    .get();
  database
    .prepare("UPDATE sqlite_schema SET rootpage = ? WHERE name = 'sqlite_autoindex_other_1'")
    .run(Number(rootpage));
  database
    .prepare("UPDATE sqlite_schema SET rootpage = ? WHERE name = ?")
    .run(Number(other?.rootpage), index);
  database.close();
}

describe("the check of a store's file", () => {
  it.each(["quick", "whole"] as const)("finds nothing wrong with a right one: %s", async (how) => {
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
    expect((await checkStoreFile(path, "whole")).filter((line) => line.includes("events"))).toEqual([]);
  });

  it.each([
    [
      "a page that was written over",
      (): void => {
        const file = openSync(path, "r+");
        writeSync(file, Buffer.alloc(4_096, 0xa5), 0, 4_096, 8 * 4_096);
        closeSync(file);
      },
    ],
    [
      "an end that is gone",
      (): void => {
        truncateSync(path, 8 * 4_096);
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
