import { readFileSync, writeFileSync } from "node:fs";

import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { EventStoreUnavailableError, type EventStore, type RecordedEvent } from "../event-store.port.ts";
import { exportStore } from "./export-store.ts";
import { createFileSink, fileSource } from "./file-sink.ts";
import { importStore } from "./import-store.ts";
import { allEvents, randomLog, stamping, transferFolder, writeLog } from "./random-log.fixture.ts";
import type { TransferSource } from "./file-lines.ts";
import type { TransferSummary } from "./transfer-file.codec.ts";

let folder: ReturnType<typeof transferFolder>;
beforeEach(() => {
  folder = transferFolder();
});
afterEach(async () => {
  await folder.dispose();
});

const header = { exportedAt: "2026-01-02T04:00:00.000000Z", engine: "embedded" };
const bodies = { data: '{"a":1}', metadata: "{}" };
const sample = [
  { stream: "account-1", texts: [bodies, bodies] },
  { stream: "account-2", texts: [bodies] },
  { stream: "account-1", texts: [bodies] },
  { stream: "account-1", texts: [bodies] },
  { stream: "domain-a.example", texts: [bodies, bodies, bodies] },
];

async function exported(store: EventStore): Promise<TransferSummary & { readonly path: string }> {
  const path = folder.file();
  return { path, ...(await exportStore(store, await createFileSink(path), header)) };
}

async function exportedSample(): Promise<{ readonly store: EventStore; readonly path: string }> {
  const store = await folder.store();
  await writeLog(store, sample);
  return { store, path: (await exported(store)).path };
}

/** Returns a file that arrives in pieces of some bytes. */
function inPieces(path: string, bytes: number): TransferSource {
  const content = readFileSync(path);
  return {
    read: async function* () {
      for (let at = 0; at < content.length; at += bytes) {
        yield await Promise.resolve(content.subarray(at, at + bytes));
      }
    },
  };
}

/** Returns a store whose `restore` and `append` fail from the n-th call on. */
function failingAfter(store: EventStore, calls: number): EventStore {
  let left = calls;
  const guarded = <T>(call: () => Promise<T>): Promise<T> => {
    left -= 1;
    return left < 0 ? Promise.reject(new EventStoreUnavailableError("the store went away")) : call();
  };
  const { restore } = store;
  return {
    ...stamping(store),
    append: (...arguments_) => guarded(() => store.append(...arguments_)),
    ...(restore === undefined
      ? {}
      : { restore: (...arguments_) => guarded(() => restore.call(store, ...arguments_)) }),
  };
}

describe("a store, exported and imported", () => {
  it("is equal in every field, for any texts and any chunks of the file", async () => {
    await fc.assert(
      fc.asyncProperty(randomLog, fc.integer({ min: 1, max: 2_000 }), async (log, piece) => {
        const [from, to] = [await folder.store(), await folder.store()];
        await writeLog(from, log);
        const { path, events, streams, sha256 } = await exported(from);
        const summary = await importStore(to, inPieces(path, piece));
        expect(summary).toEqual({ events, streams, sha256, alreadyThere: 0 });
        expect(await allEvents(to)).toEqual(await allEvents(from));
        const again = await exported(to);
        expect(readFileSync(again.path).equals(readFileSync(path))).toBe(true);
      }),
      { numRuns: 25 },
    );
  });

  it("goes through an engine that stamps its own time, and has its own times again", async () => {
    const { store, path } = await exportedSample();
    const inner = await folder.store();
    const between = stamping(inner);
    await importStore(between, fileSource(path));
    const kept = (await allEvents(between)).filter(({ stream }) => stream !== "transfer-times");
    const without = (events: readonly RecordedEvent[]) =>
      events.map((event) => ({ ...event, time: "", position: 0n }));
    expect(without(kept)).toEqual(without(await allEvents(store)));
    const later = { id: "11111111-1111-4111-8111-111111111111", type: "Later.v1", ...bodies };
    const { position } = await between.append("account-9", "no-stream", [later]);

    const back = await folder.store();
    await importStore(back, fileSource((await exported(between)).path));
    const times = (events: readonly RecordedEvent[]) => events.map(({ time }) => time);
    const events = await allEvents(back);
    expect(times(events.slice(0, -1))).toEqual(times(await allEvents(store)));
    const own = (await allEvents(between)).find((event) => event.position === position);
    expect(events.at(-1)?.time).toBe(own?.time);
  });

  it("leaves out the engine's own events", async () => {
    const { store } = await exportedSample();
    const own = { id: "22222222-2222-4222-8222-222222222222", type: "$metadata", ...bodies };
    await store.append("$$account-1", "no-stream", [own]);
    expect((await exported(store)).events).toBe(8);
  });
});

describe("a file", () => {
  it("that is changed in one byte or line is refused, each of 200 times, and nothing is written", async () => {
    const { path } = await exportedSample();
    const content = readFileSync(path);
    const target = await folder.store();
    for (let seed = 0; seed < 200; seed += 1) {
      writeFileSync(path, mutated(content, seed));
      await expect(importStore(target, fileSource(path)), `change ${String(seed)}`).rejects.toThrow(
        /^The file (is|has) /,
      );
    }
    expect(await target.lastPosition()).toBeUndefined();
  });

  it("cut off anywhere is refused", async () => {
    const { path } = await exportedSample();
    const content = readFileSync(path);
    const target = await folder.store();
    for (let length = 0; length < content.length; length += 37) {
      writeFileSync(path, content.subarray(0, length));
      await expect(importStore(target, fileSource(path))).rejects.toThrow(/^The file is (cut off|no export)/);
    }
    expect(await target.lastPosition()).toBeUndefined();
  });

  it("of a newer version, and one of something else, are reported", async () => {
    const { path } = await exportedSample();
    const text = readFileSync(path, "utf8");
    const target = await folder.store();
    writeFileSync(path, text.replace('"version":1', '"version":2'));
    await expect(importStore(target, fileSource(path))).rejects.toThrow(
      "The file has version 2 of the format",
    );
    writeFileSync(path, "id;name\n1;A\n");
    await expect(importStore(target, fileSource(path))).rejects.toThrow("The file is no export");
  });

  it("is refused by a store with other events", async () => {
    const { path } = await exportedSample();
    const target = await folder.store();
    await writeLog(target, [{ stream: "account-7", texts: [bodies] }]);
    await expect(importStore(target, fileSource(path))).rejects.toThrow("The store has events that are not");
    expect(await allEvents(target)).toHaveLength(1);
  });

  it("is refused by a store that has all of it and more", async () => {
    const { store, path } = await exportedSample();
    await writeLog(store, [{ stream: "account-7", texts: [bodies] }]);
    await expect(importStore(store, fileSource(path))).rejects.toThrow("The store has events that are not");
  });
});

describe("an interrupted import", () => {
  it.each([0, 1, 2, 3, 4])(
    "after %i appends ends whole when it is run again, on both kinds of engine",
    async (calls) => {
      const { store, path } = await exportedSample();
      for (const kind of [(inner: EventStore) => inner, stamping]) {
        const target = kind(await folder.store());
        const failing = importStore(failingAfter(target, calls), fileSource(path));
        await expect(failing).rejects.toThrow("the store went away");
        const summary = await importStore(target, fileSource(path));
        expect(summary.alreadyThere).toBeGreaterThanOrEqual(calls === 0 ? 0 : 1);
        const again = await exported(target);
        expect(again.sha256).toBe((await exported(store)).sha256);
        expect((await importStore(target, fileSource(path))).alreadyThere).toBe(8);
      }
    },
  );
});

describe("the times of an import of more than a thousand events", () => {
  // The append with the thousandth event also has two later events, and is stored before the first thousand times.
  const log = [999, 3, 2].map((events, index) => ({
    stream: `account-${String(index)}`,
    texts: Array.from({ length: events }, () => bodies),
  }));

  it.each([2, 3, 4])("are whole after it was interrupted after %i appends and run again", async (calls) => {
    const store = await folder.store();
    await writeLog(store, log);
    const { path } = await exported(store);
    const target = stamping(await folder.store());
    await expect(importStore(failingAfter(target, calls), fileSource(path))).rejects.toThrow("went away");
    await importStore(target, fileSource(path));
    const back = await folder.store();
    await importStore(back, fileSource((await exported(target)).path));
    expect(await allEvents(back)).toEqual(await allEvents(store));
    expect((await importStore(target, fileSource(path))).alreadyThere).toBe(1_004);
  });
});

/** Changes one byte or a line, chosen by `seed`. */
function mutated(content: Buffer, seed: number): Buffer {
  if (seed % 2 === 0) {
    const changed = Buffer.from(content);
    const at = Math.floor((seed / 200) * content.length);
    changed[at] = (changed[at] ?? 0) ^ (1 << (seed % 8));
    return changed;
  }
  const lines = content.toString("utf8").trimEnd().split("\n");
  const at = Math.floor(seed / 2) % lines.length;
  const other = (at + 1 + (Math.floor(seed / 20) % (lines.length - 1))) % lines.length;
  const kind = Math.floor(seed / 2 / lines.length) % 3;
  if (kind === 0) lines.splice(at, 1);
  else if (kind === 1) lines.splice(at, 0, lines[at] ?? "");
  else [lines[at], lines[other]] = [lines[other] ?? "", lines[at] ?? ""];
  return Buffer.from(`${lines.join("\n")}\n`);
}
