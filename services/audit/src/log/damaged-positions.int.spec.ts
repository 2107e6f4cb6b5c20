import { readFile, rm, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

import type { EventStore, RecordedEvent } from "@hostledger/store";
import { directoryOfTest } from "@hostledger/runtime/testing";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";

import type { AuditLog } from "./audit-log.ts";
import { appendEvents, openTestLog, openTestStore, untilCovered } from "./audit-log.fixture.ts";

/** Seven full tiles and one growing tile. */
const size = 2_000;
const entryBytes = 16;

let folder = "";
let positions = "";
beforeEach(() => {
  folder = directoryOfTest();
  positions = join(folder, "audit", "positions");
});

async function keptLog(directory: string, events = size): Promise<Buffer> {
  const store = await openTestStore(directory);
  await appendEvents(store, events);
  const log = await openTestLog(store, directory);
  await untilCovered(log, events);
  await log.close();
  await store.close();
  return readFile(join(directory, "audit", "positions"));
}

async function openBoth(): Promise<{ readonly store: EventStore; readonly log: AuditLog }> {
  const store = await openTestStore(folder);
  const log = await openTestLog(store, folder);
  await log.ready();
  onTestFinished(async () => {
    await log.close();
    await store.close();
  });
  return { store, log };
}

async function allEvents(store: EventStore): Promise<readonly RecordedEvent[]> {
  const events: RecordedEvent[] = [];
  for await (const batch of store.subscribe({ from: "start" })) {
    events.push(...batch.events);
    if (batch.caughtUp) break;
  }
  return events;
}

/** Each function gets the file's content and returns damaged content. */
const damages: readonly (readonly [string, (whole: Buffer) => Buffer | Promise<Buffer>])[] = [
  ["with flipped bits", (whole) => Buffer.from(whole.map((byte, at) => (at % 5 === 4 ? byte ^ 0x55 : byte)))],
  [
    "with one flipped bit",
    (whole) => Buffer.from(whole.map((byte, at) => (at === 4 * entryBytes - 1 ? byte ^ 0x10 : byte))),
  ],
  [
    "with one position beyond the end of the store",
    (whole) => Buffer.from(whole.map((byte, at) => (at === 3 * entryBytes + 8 ? 0x7f : byte))),
  ],
  ["that was cut off", (whole) => whole.subarray(0, 3 * entryBytes + 5)],
  ["that is empty", () => Buffer.alloc(0)],
  [
    "with two entries that changed places",
    (whole) => {
      const entries = Array.from({ length: whole.length / entryBytes }, (_, at) =>
        whole.subarray(at * entryBytes, (at + 1) * entryBytes),
      );
      [entries[2], entries[5]] = [entries[5] ?? whole, entries[2] ?? whole];
      return Buffer.concat(entries);
    },
  ],
  [
    "of another store",
    async (whole) => {
      const other = directoryOfTest();
      await writeFile(join(other, "unused"), "");
      const store = await openTestStore(other);
      // Its events have other positions, because half of its events belong to the engine.
      await store.append("$engine", "no-stream", [
        { id: crypto.randomUUID(), type: "$e", data: "{}", metadata: "{}" },
      ]);
      await store.close();
      const foreign = await keptLog(other, size + 600);
      expect(foreign.equals(whole)).toBe(false);
      return foreign;
    },
  ],
];

describe("a file of positions", () => {
  it.each(damages)("%s is named and rebuilt, and no sound event is reported", async (_what, damage) => {
    const whole = await keptLog(folder);
    await writeFile(positions, await damage(whole));
    const { store, log } = await openBoth();
    const events = await allEvents(store);
    for (const [index, event] of events.entries()) {
      if (index % 97 !== 0) continue;
      await log.confirm(event);
      expect(await log.indexOf(event)).toBe(index);
    }
    expect((await log.entries(0, size)).map(({ id }) => id)).toEqual(events.map(({ id }) => id));
    expect(log.health()).toEqual({ status: "following" });
    expect(log.mended()).toEqual([
      "The file DATA/audit/positions did not fit the event store: it was made anew from it.",
    ]);
    // The first entry is unused: its tile begins at the start of the store.
    const written = async () => (await readFile(positions)).subarray(entryBytes, whole.length);
    await expect.poll(written).toEqual(whole.subarray(entryBytes));
  });

  it("that is missing is rebuilt too", async () => {
    const whole = await keptLog(folder);
    await rm(positions);
    const { store, log } = await openBoth();
    for (const event of await allEvents(store)) await log.confirm(event);
    expect(log.mended()).toHaveLength(1);
    await expect.poll(async () => readFile(positions)).toEqual(whole);
  });

  it("is not rebuilt for a changed store, even at the beginning of a tile", async () => {
    await keptLog(folder);
    const database = new DatabaseSync(join(folder, "events.sqlite"));
    database.exec("UPDATE events SET data = '[]' WHERE position IN (1, 256, 257, 512, 513, 770)");
    database.close();
    const { log } = await openBoth();
    const found = await log.entriesAsFound(0, size);
    expect(found.flatMap(({ damage }, index) => (damage === undefined ? [] : [index]))).toEqual([
      0, 255, 256, 511, 512, 769,
    ]);
    expect(log.mended()).toEqual([]);
    expect(log.health().status).toBe("stopped");
  });

  it("is rebuilt beside a changed store too: later findings are the store's", async () => {
    const whole = await keptLog(folder);
    const database = new DatabaseSync(join(folder, "events.sqlite"));
    database.exec("UPDATE events SET data = '[]' WHERE position IN (256, 257, 900)");
    database.close();
    await truncate(positions, entryBytes);
    const { log } = await openBoth();
    const found = await log.entriesAsFound(0, size);
    expect(found.flatMap(({ damage }, index) => (damage === undefined ? [] : [index]))).toEqual([
      255, 256, 899,
    ]);
    expect(log.mended()).toHaveLength(1);
    await expect.poll(async () => readFile(positions)).toEqual(whole);
  });
});
