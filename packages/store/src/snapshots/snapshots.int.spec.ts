import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

import type { SnapshotCodec } from "@hostledger/core";
import { directoryOfTest } from "@hostledger/runtime/testing";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { createCommandHandler } from "../commands/command-handler.ts";
import { counter, sentAs, type CounterState } from "../commands/counter.fixture.ts";
import { openTestStore } from "../embedded/test-store.fixture.ts";
import type { EventStore, ReadOptions } from "../event-store.port.ts";
import type { SnapshotStore } from "./snapshot-store.port.ts";
import { openSqliteSnapshots } from "./sqlite-snapshot-store.adapter.ts";

let folder: string;
let store: EventStore;
let snapshots: SnapshotStore;
let ignored: unknown[];
beforeEach(async () => {
  folder = directoryOfTest();
  store = await openTestStore(join(folder, "events.sqlite"));
  snapshots = openSqliteSnapshots({ path: snapshotFile() });
  ignored = [];
});
afterEach(async () => {
  await snapshots.close();
  await store.close();
});

const snapshotFile = (): string => join(folder, "account.sqlite");

const codec: SnapshotCodec<CounterState> = {
  version: 1,
  every: 10,
  encode: ({ total }) => ["total", String(total)],
  decoder: () => {
    const parts: string[] = [];
    return {
      add: (part) => parts.push(part),
      finish: () => {
        if (parts.length !== 2) throw new Error("parts are missing");
        return { total: Number(parts[1]) };
      },
    };
  },
};

/** Makes a handler with an empty cache, and records its reads of streams. */
function freshHandler(version = 1, from: SnapshotStore = snapshots) {
  const reads: ReadOptions[] = [];
  const watched: EventStore = {
    append: (stream, expected, events) => store.append(stream, expected, events),
    read: (stream, options = {}) => {
      reads.push(options);
      return store.read(stream, options);
    },
    subscribe: (options) => store.subscribe(options),
    lastPosition: () => store.lastPosition(),
    close: () => store.close(),
  };
  const onIgnored = (_stream: string, reason: unknown): void => void ignored.push(reason);
  const handler = createCommandHandler({
    store: watched,
    recordedBy: "spec",
    snapshots: { snapshots: from, onIgnored },
  });
  const aggregate = { ...counter, snapshots: { ...codec, version } };
  return {
    reads,
    add: (commandId: string) => handler.execute(aggregate, "1", { type: "Add", by: 1 }, sentAs(commandId)),
    load: () => handler.load(aggregate, "1"),
  };
}

async function addTo(count: number): Promise<void> {
  const { add } = freshHandler();
  for (let number = 0; number < count; number += 1) await add(`add-${String(number)}`);
  await kept();
}

/** Waits for the save in progress, because saves run one after the other. */
async function kept(): Promise<void> {
  const head = { version: 0, revision: 0n, position: 0n, eventId: "" };
  await snapshots.save("other-1", head, []);
}

describe("a long stream", () => {
  it("is loaded from its snapshot and the events after it", async () => {
    await addTo(27);
    const { load, reads } = freshHandler();
    expect(await load()).toMatchObject({ state: { total: 27 }, revision: 26n });
    expect(reads).toEqual([{ from: 19n, limit: 1 }, { from: 20n }]);
  });

  it("is stored after a load that folded much, too", async () => {
    const { add } = freshHandler(1, unusable);
    for (let number = 0; number < 27; number += 1) await add(`add-${String(number)}`);
    await freshHandler().load();
    await kept();
    const { load, reads } = freshHandler();
    expect(await load()).toMatchObject({ state: { total: 27 }, revision: 26n });
    expect(reads).toEqual([{ from: 26n, limit: 1 }, { from: 27n }]);
  });

  it("is stored again after more events the longer it is", async () => {
    await addTo(400);
    const { load, reads } = freshHandler();
    expect(await load()).toMatchObject({ state: { total: 400 } });
    expect(reads[0]?.from).toBeGreaterThanOrEqual(359n);
  });
});

describe("a snapshot is not used", () => {
  const whole = async (version = 1): Promise<void> => {
    const { load, reads } = freshHandler(version);
    expect(await load()).toMatchObject({ state: { total: 27 }, revision: 26n });
    expect(reads.at(-1)).toEqual({ from: 0n });
  };

  it("when it has another version", async () => {
    await addTo(27);
    await whole(2);
  });

  it.each([
    ["a part was changed", "UPDATE parts SET content = '999' WHERE number = 1"],
    ["a part is missing", "DELETE FROM parts WHERE number = 0"],
    ["it is of another event", "UPDATE heads SET event_id = 'another'"],
    ["it is beyond the stream", "UPDATE heads SET revision = '1000'"],
    ["its table is gone", "DROP TABLE heads"],
  ])("when %s", async (_case, sql) => {
    await addTo(27);
    const database = new DatabaseSync(snapshotFile());
    database.exec(sql);
    database.close();
    await whole();
  });

  it("when its store fails, and commands are answered all the same", async () => {
    const { add, load } = freshHandler(1, unusable);
    for (let number = 0; number < 27; number += 1)
      expect((await add(`add-${String(number)}`)).accepted).toBe(true);
    expect(await load()).toMatchObject({ state: { total: 27 } });
    expect(ignored.length).toBeGreaterThan(1);
  });
});

describe("the file of snapshots", () => {
  const head = { version: 1, revision: 9n, position: 10n, eventId: "x" };
  const read = async (stream: string): Promise<readonly string[] | undefined> => {
    const snapshot = await snapshots.load(stream);
    if (snapshot === undefined) return undefined;
    const parts: string[] = [];
    for await (const part of snapshot.parts) parts.push(part);
    return parts;
  };

  it("retains the older one when a save does not end, and removes the partial one", async () => {
    await snapshots.save("a", head, ["older"]);
    function* failing(): Generator<string, void, undefined> {
      yield "newer";
      throw new Error("killed");
    }
    await expect(snapshots.save("a", { ...head, revision: 19n }, failing())).rejects.toThrow("killed");
    expect(await read("a")).toEqual(["older"]);
    await snapshots.close();
    // Parts without a head remain after a kill.
    const database = new DatabaseSync(snapshotFile());
    database.exec("INSERT INTO parts VALUES (99, 0, 'left behind')");
    snapshots = openSqliteSnapshots({ path: snapshotFile() });
    expect(await read("a")).toEqual(["older"]);
    await snapshots.save("b", head, ["other"]);
    expect(database.prepare("SELECT count(*) AS count FROM parts").get()?.count).toBe(2);
    database.close();
  });

  it("has a bound, and evicts the oldest", async () => {
    await snapshots.close();
    snapshots = openSqliteSnapshots({ path: snapshotFile(), characterLimit: 100 });
    for (const stream of ["a", "b", "c"]) await snapshots.save(stream, head, ["x".repeat(40)]);
    expect(await read("a")).toBeUndefined();
    expect(await read("c")).toEqual(["x".repeat(40)]);
    await expect(snapshots.save("d", head, ["x".repeat(101)])).rejects.toThrow("too large");
    expect(await read("b")).toEqual(["x".repeat(40)]);
  });

  it("is created again when it is damaged", async () => {
    await snapshots.close();
    writeFileSync(
      snapshotFile(),
      "this is no database, whatever SQLite makes of its first bytes".repeat(100),
    );
    snapshots = openSqliteSnapshots({ path: snapshotFile() });
    expect(await read("a")).toBeUndefined();
    await snapshots.save("a", head, ["new"]);
    expect(await read("a")).toEqual(["new"]);
  });
});

const unusable: SnapshotStore = {
  load: () => Promise.reject(new Error("the disk is gone")),
  save: () => Promise.reject(new Error("the disk is gone")),
  close: () => Promise.resolve(),
};
