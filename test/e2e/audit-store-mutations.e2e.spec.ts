import { copyFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

import { openEmbeddedEventStore, type EventStore } from "@hostledger/store";
import { defined } from "@hostledger/runtime";
import { temporaryDirectory } from "@hostledger/runtime/testing";
import {
  bundledEntry,
  createTileBuilder,
  encodeEntry,
  generateSigner,
  leafHash,
  tilePath,
  type LogEvent,
} from "@hostledger/audit/log";
import { BundleError, findingLine, verifyLog, type LogSource } from "@hostledger/audit/verification";
import { noteOf, rightLog } from "@hostledger/audit/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";

const signer = generateSigner("hostledger/test");
const directory = temporaryDirectory();
const right = join(directory.path, "events.sqlite");
const tiles = new Map<string, Uint8Array>();
let log: readonly LogEvent[] = [];
let note = "";
let older = "";

const open = (path: string): Promise<EventStore> =>
  openEmbeddedEventStore({
    path,
    now: () => "2026-03-01T10:00:00.123456Z",
    onFailure(error: Error): never {
      throw error;
    },
  });

async function readStore(path: string): Promise<readonly LogEvent[]> {
  const store = await open(path);
  try {
    const events: LogEvent[] = [];
    for await (const batch of store.subscribe({ from: "start" })) {
      events.push(...batch.events);
      if (batch.caughtUp) break;
    }
    return events;
  } finally {
    await store.close();
  }
}

/** Reads rows without opening the store, whose opening syncs the disk. */
function readRows(path: string): readonly LogEvent[] {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    const rows = database.prepare(
      `SELECT s.name AS stream, e.revision, e.id, e.type, e.time, e.data, e.metadata
       FROM events e JOIN streams s ON s.id = e.stream_id ORDER BY e.position`,
    );
    return rows.all().map((row) => rowSchema.parse(row));
  } finally {
    database.close();
  }
}

const rowSchema = z.object({
  stream: z.string(),
  revision: z.int().transform(BigInt),
  id: z.string(),
  type: z.string(),
  time: z.string(),
  data: z.string(),
  metadata: z.string(),
});

/** The store's events beside the checkpoint and the tiles that were kept, as `verify --live` reads them. */
function liveLog(events: readonly LogEvent[], kept: string): LogSource {
  return {
    note: kept,
    verifierKeys: [signer.verifierKey],
    earlierNotes: [],
    shownBalances: undefined,
    async *entries(first, end) {
      const part = await Promise.resolve(events.slice(first, end));
      yield part.map((event) => {
        try {
          return { bundled: bundledEntry(encodeEntry(event)), event, problem: undefined };
        } catch (error) {
          return { bundled: new Uint8Array(), event, problem: String(error) };
        }
      });
    },
    tile: (level, index, width) => {
      const bytes = tiles.get(tilePath(level, index, width));
      return bytes === undefined ? Promise.reject(new BundleError("no tile")) : Promise.resolve(bytes);
    },
  };
}

beforeAll(async () => {
  const store = await open(right);
  await Promise.all(
    rightLog(60).map(({ stream, revision, id, type, data, metadata }) =>
      store.append(stream, revision === 0n ? "no-stream" : revision - 1n, [{ id, type, data, metadata }]),
    ),
  );
  await store.close();
  log = await readStore(right);
  note = noteOf(log, signer);
  older = noteOf(log.slice(0, 200), signer);
  const keep = ({
    level,
    index,
    width,
    bytes,
  }: Parameters<Parameters<typeof createTileBuilder>[0]["emit"]>[0]) =>
    tiles.set(tilePath(level, index, width), bytes);
  const builder = createTileBuilder({ emit: keep });
  for (const event of log) builder.append(leafHash(bundledEntry(encodeEntry(event))));
  builder.partials().forEach(keep);
});
afterAll(() => {
  directory.remove();
});

/** A generator of numbers below a limit, the same for the same seed. */
function numbers(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
}

type Pick = ReturnType<typeof numbers>;

const set = (database: DatabaseSync, index: number, column: string, value: string): void => {
  database.prepare(`UPDATE events SET ${column} = ? WHERE position = ?`).run(value, index + 1);
};

/** Makes room for an event before the one at an index, as an attacker does. */
function shift(database: DatabaseSync, index: number): void {
  database.prepare("UPDATE events SET position = -position WHERE position > ?").run(index);
  database.exec("UPDATE events SET position = 1 - position WHERE position < 0");
}

/** Each changes the store; it gives the index of the first event that is another then. */
const mutations: Readonly<Record<string, (database: DatabaseSync, pick: Pick) => number>> = {
  "a flipped byte": (database, pick) => {
    const index = pick(log.length);
    const column = (["data", "metadata", "type", "id"] as const)[pick(4)] ?? "data";
    const bytes = Buffer.from(log[index]?.[column] ?? "");
    const byte = pick(bytes.length);
    bytes[byte] = (bytes[byte] ?? 0) ^ 1;
    set(database, index, column, bytes.toString("latin1"));
    return index;
  },
  "a deleted event": (database, pick) => {
    const index = pick(log.length - 1);
    database.prepare("DELETE FROM events WHERE position = ?").run(index + 1);
    return index;
  },
  "two swapped events": (database, pick) => {
    const index = pick(log.length - 1);
    for (const [from, to] of [
      [index + 1, -1],
      [index + 2, index + 1],
      [-1, index + 2],
    ])
      database.prepare("UPDATE events SET position = ? WHERE position = ?").run(to ?? 0, from ?? 0);
    return index;
  },
  "a changed time": (database, pick) => {
    const index = pick(log.length);
    set(database, index, "time", "2026-03-01T09:59:59.123456Z");
    return index;
  },
  "a cut tail": (database, pick) => {
    const index = 1 + pick(log.length - 1);
    database.prepare("DELETE FROM events WHERE position > ?").run(index);
    return index;
  },
  "a forged invoice": (database, pick) => {
    const invoices = log.flatMap(({ type }, at) => (type.startsWith("InvoiceIssued") ? [at] : []));
    const index = invoices[pick(invoices.length)] ?? 0;
    set(database, index, "data", (log[index]?.data ?? "").replace(/"grossCents":"\d/u, '"grossCents":"9'));
    return index;
  },
  "an event inserted in the past": (database, pick) => {
    const index = pick(log.length);
    shift(database, index);
    database.exec("INSERT INTO streams (name) VALUES ('registration-forged')");
    database
      .prepare(
        `INSERT INTO events (position, stream_id, revision, id, type, time, data, metadata)
         SELECT ?, (SELECT id FROM streams WHERE name = 'registration-forged'), 0, ?, type, time, data, metadata
         FROM events WHERE position = ?`,
      )
      .run(index + 1, `00000000-0000-4000-8000-ffff${String(pick(100_000_000)).padStart(8, "0")}`, index + 2);
    return index;
  },
};

/** Returns the findings of the verification, one per line, or the sentence with which it stopped. */
async function verdict(source: LogSource, since?: string): Promise<readonly string[]> {
  return (await verifyLog(source, defined({ since }))).findings.map(findingLine);
}

describe("an embedded store beside its audit log", () => {
  it("verifies without changes", async () => {
    expect(await verdict(liveLog(log, note), older)).toEqual([]);
  });

  it("fails the verification after each of 70 mutations by SQL, and the finding names the first changed event", async () => {
    const names = Object.keys(mutations);
    for (let seed = 0; seed < 70; seed += 1) {
      const name = names[seed % names.length] ?? "";
      const path = join(directory.path, `mutated-${String(seed)}.sqlite`);
      await copyFile(right, path);
      const database = new DatabaseSync(path);
      const index = mutations[name]?.(database, numbers(seed * 7_919 + 5)) ?? -1;
      database.close();
      const events = seed < names.length ? await readStore(path) : readRows(path);
      const lines = await verdict(liveLog(events, note));
      const named = new RegExp(
        `\\bevent ${String(index)}(?=[ :])|\\b${String(index)} events? could be read`,
        "u",
      );
      expect(
        lines.some((line) => named.test(line)),
        `${name}, seed ${String(seed)}, event ${String(index)}: ${lines.slice(0, 3).join(" / ")}`,
      ).toBe(true);
    }
  });

  it("with an old checkpoint in place of the newest fails against a saved checkpoint", async () => {
    tiles.clear();
    const source = { ...liveLog(log, older), tile: undefined };
    expect(await verdict(source, note)).toContainEqual(expect.stringContaining("old checkpoint"));
  });

  it("that was rewritten and signed anew with all its tiles fails against an earlier checkpoint", async () => {
    const rewritten = log.map((event, at) =>
      at === 40 ? { ...event, time: "2026-03-01T09:00:00.000000Z" } : event,
    );
    const source = { ...liveLog(rewritten, noteOf(rewritten, signer)), tile: undefined };
    expect(await verdict(source)).toEqual([]);
    expect(await verdict(source, older)).toEqual([
      expect.stringContaining("the first 200 events are not those of an earlier checkpoint"),
    ]);
  });
});
