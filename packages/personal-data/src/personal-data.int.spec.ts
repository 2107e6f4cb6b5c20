import { execFile } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

import {
  openEmbeddedEventStore,
  openSqliteSnapshots,
  type EventStore,
  type EventToAppend,
} from "@hostledger/event-store";
import { describe, expect, it, onTestFinished } from "vitest";

import {
  cacheSubjectKeys,
  followErasures,
  openRows,
  openSqliteSubjectKeys,
  sealPersonalData,
  sealSnapshots,
  SubjectKeyError,
} from "./index.ts";

const name = "Augusta Ada King-Noel ☂";
const id = (n: number): string => `00000000-0000-4000-8000-${String(n).padStart(12, "0")}`;

function opened(accountId: number, n = accountId): EventToAppend {
  const data = { accountId, name, vatExempt: false, openedAt: "2026-03-01T10:00:00.000000Z" };
  return { id: id(n), type: "AccountOpened.v1", data: JSON.stringify(data), metadata: "{}" };
}
const erased: EventToAppend = {
  id: id(900),
  type: "PersonalDataErased.v1",
  data: JSON.stringify({ accountId: 1, erasedAt: "2026-03-02T10:00:00.000000Z" }),
  metadata: "{}",
};

async function openHarness() {
  const directory = mkdtempSync(join(tmpdir(), "hostledger-personal-"));
  const raw = await openEmbeddedEventStore({
    path: join(directory, "events.sqlite"),
    now: () => "2026-03-01T10:00:00.000000Z",
    onFailure(error) {
      throw error;
    },
  });
  const path = join(directory, "subject-keys.sqlite");
  const keys = openSqliteSubjectKeys({ path });
  onTestFinished(async () => {
    await raw.close();
    await keys.close();
    rmSync(directory, { recursive: true, force: true });
  });
  return { directory, path, raw, keys, store: sealPersonalData(raw, keys) };
}

async function datasOf(store: EventStore, stream: string): Promise<string[]> {
  const datas: string[] = [];
  for await (const { data } of store.read(stream)) datas.push(data);
  return datas;
}

async function namesOf(store: EventStore, stream: string): Promise<unknown[]> {
  return (await datasOf(store, stream)).map((data) => (JSON.parse(data) as { name: unknown }).name);
}

/** True when some file of the directory has these bytes. */
function isOnDisk(directory: string, bytes: Uint8Array | string): boolean {
  return readdirSync(directory).some((file) => readFileSync(join(directory, file)).includes(bytes));
}

describe("the sealed store", () => {
  it("keeps ciphertext on disk, and gives the text back by read and by subscription", async () => {
    const { directory, raw, store } = await openHarness();
    await store.append("account-1", "no-stream", [opened(1)]);
    expect(await namesOf(store, "account-1")).toEqual([name]);
    expect(await namesOf(raw, "account-1")).toEqual([
      expect.stringMatching(/^sealed:v1:account-1:[A-Za-z0-9_-]+$/),
    ]);
    expect(isOnDisk(directory, "King-Noel")).toBe(false);
    const stop = new AbortController();
    for await (const batch of store.subscribe({ from: "start", signal: stop.signal })) {
      if (batch.events.length > 0) expect(batch.events[0]?.data).toContain(name);
      stop.abort();
    }
  });

  it("repeats an append byte for byte, also in another process", async () => {
    const { path, raw, store } = await openHarness();
    const first = await store.append("account-1", "no-stream", [opened(1)]);
    const other = openSqliteSubjectKeys({ path });
    const again: EventToAppend[] = [];
    const spy: EventStore = {
      ...sealPersonalData(raw, other),
      append: (_stream, _expected, events) => {
        again.push(...events);
        return Promise.resolve(first);
      },
    };
    await sealPersonalData(spy, other).append("account-1", "no-stream", [opened(1)]);
    expect(again.map(({ data }) => data)).toEqual(await datasOf(raw, "account-1"));
    await expect(store.append("account-1", "no-stream", [opened(1)])).resolves.toEqual(first);
    await other.close();
  });

  it("seals one text differently in each event", async () => {
    const { raw, store } = await openHarness();
    await store.append("account-1", "no-stream", [opened(1, 1), opened(1, 2)]);
    const [one, two] = await namesOf(raw, "account-1");
    expect(one).not.toBe(two);
  });

  it("passes events without personal data on as they are, in the same array", async () => {
    const { raw, keys } = await openHarness();
    const events = [{ ...opened(1), type: "BalanceCharged.v1" }];
    const seen: unknown[] = [];
    const spied = sealPersonalData(
      {
        ...raw,
        append: (_s, _e, given) => (seen.push(given), Promise.resolve({ revision: 0n, position: 0n })),
      },
      keys,
    );
    await spied.append("account-1", "no-stream", events);
    expect(seen[0]).toBe(events);
  });

  it("reads what was stored plain, before there were keys, as it is", async () => {
    const { raw, store } = await openHarness();
    await raw.append("account-1", "no-stream", [opened(1)]);
    expect(await namesOf(store, "account-1")).toEqual([name]);
  });

  it("reads [erased] once the key is destroyed, and records no text any more", async () => {
    const { raw, keys, store } = await openHarness();
    await store.append("account-1", "no-stream", [opened(1)]);
    await store.append("account-2", "no-stream", [opened(2)]);
    await keys.destroy("account-1");
    await store.append("account-1", 0n, [opened(1, 5)]);
    expect(await namesOf(store, "account-1")).toEqual(["[erased]", "[erased]"]);
    expect((await namesOf(raw, "account-1"))[1]).toBe("[erased]");
    expect(await namesOf(store, "account-2")).toEqual([name]);
  });

  it("says so when a key is lost, and when a text was sealed for somebody else", async () => {
    const { directory, raw, store } = await openHarness();
    await store.append("account-1", "no-stream", [opened(1)]);
    const empty = openSqliteSubjectKeys({ path: join(directory, "other.sqlite") });
    await expect(namesOf(sealPersonalData(raw, empty), "account-1")).rejects.toThrow(/restore the keys/);
    await empty.obtain("account-1");
    await expect(namesOf(sealPersonalData(raw, empty), "account-1")).rejects.toThrow(SubjectKeyError);
    await empty.close();
  });
});

describe("rows and snapshots", () => {
  it("open with the key, and read [erased] without it, plain ones too", async () => {
    const { raw, keys, store } = await openHarness();
    await store.append("account-1", "no-stream", [opened(1)]);
    const [sealed] = await namesOf(raw, "account-1");
    const rows = [
      { id: 1, name: String(sealed) },
      { id: 1, name: "plain" },
    ];
    const columns = { account: ({ id: account }: { id: number }) => account, texts: { name: "name" } };
    expect(await openRows(keys, rows, columns)).toEqual([
      { id: 1, name },
      { id: 1, name: "plain" },
    ]);
    await keys.destroy("account-1");
    expect((await openRows(keys, rows, columns)).map((row) => row.name)).toEqual(["[erased]", "[erased]"]);
  });

  it("of accounts hold no plain text, and are gone with the key", async () => {
    const { directory, keys } = await openHarness();
    const snapshots = sealSnapshots(openSqliteSnapshots({ path: join(directory, "snapshots.sqlite") }), keys);
    const head = { version: 1, revision: 3n, position: 9n, eventId: id(1) };
    await snapshots.save("account-1", head, [`{"name":"${name}"}`, "[]"]);
    const parts: string[] = [];
    for await (const part of (await snapshots.load("account-1"))?.parts ?? []) parts.push(part);
    expect(parts).toEqual([`{"name":"${name}"}`, "[]"]);
    expect(isOnDisk(directory, "King-Noel")).toBe(false);
    await keys.destroy("account-1");
    expect(await snapshots.load("account-1")).toBeUndefined();
    await snapshots.close();
  });
});

describe("the file of keys", () => {
  it("no longer has the bytes of a destroyed key, among many", async () => {
    const { directory, keys } = await openHarness();
    for (let n = 1; n <= 200; n += 1) await keys.obtain(`account-${String(n)}`);
    for (const subject of ["account-1", "account-100", "account-200"]) {
      const key = await keys.obtain(subject);
      if (key === "destroyed") throw new Error("destroyed");
      expect(isOnDisk(directory, key)).toBe(true);
      await expect(keys.destroy(subject)).resolves.toBe(true);
      expect(isOnDisk(directory, key)).toBe(false);
      await expect(keys.destroy(subject)).resolves.toBe(false);
      await expect(keys.obtain(subject)).resolves.toBe("destroyed");
    }
  });

  it("is its owner's alone", async () => {
    const { path } = await openHarness();
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it("is refused with a sentence when it is damaged", async () => {
    const { directory } = await openHarness();
    const path = join(directory, "damaged.sqlite");
    writeFileSync(path, "this is no database, whatever its name says".repeat(100));
    expect(() => openSqliteSubjectKeys({ path })).toThrow(/damaged\.sqlite does not open .* backup/);
  });

  it("gives two processes that ask at once the same key", async () => {
    const { path, keys } = await openHarness();
    const program = new URL("./obtain-keys.fixture.ts", import.meta.url).pathname;
    const ask = () => promisify(execFile)(process.execPath, [program, path, "50"]);
    const [one, two] = await Promise.all([ask(), ask()]);
    expect(one.stdout).toBe(two.stdout);
    expect((await keys.find(["account-7"])).size).toBe(1);
  });
});

describe("the cache", () => {
  it("notices within its time that another process destroyed a key, and its own at once", async () => {
    const { path, keys } = await openHarness();
    let now = 0;
    const here = cacheSubjectKeys(openSqliteSubjectKeys({ path }), { now: () => now, freshMs: 1_000 });
    await here.obtain("account-1");
    await here.obtain("account-2");
    await keys.destroy("account-1");
    now = 999;
    expect((await here.find(["account-1"])).get("account-1")).not.toBe("destroyed");
    now = 1_000;
    expect((await here.find(["account-1"])).get("account-1")).toBe("destroyed");
    await here.destroy("account-2");
    await expect(here.obtain("account-2")).resolves.toBe("destroyed");
    await here.close();
  });
});

describe("following erasures", () => {
  it("destroys the key of an erasure whose process died, once", async () => {
    const { raw, keys, store } = await openHarness();
    await store.append("account-1", "no-stream", [opened(1)]);
    await store.append("account-1", 0n, [erased]);
    const destroyed: string[] = [];
    const follow = async (): Promise<void> => {
      const stop = new AbortController();
      const running = followErasures({
        store: raw,
        keys,
        signal: stop.signal,
        onDestroyed: (subject) => destroyed.push(subject),
      });
      await expect.poll(async () => (await keys.find(["account-1"])).get("account-1")).toBe("destroyed");
      await expect.poll(() => keys.erasuresUntil()).toBeDefined();
      stop.abort();
      await running;
    };
    await follow();
    await follow();
    expect(destroyed).toEqual(["account-1"]);
    expect(await namesOf(store, "account-1")).toEqual(["[erased]", undefined]);
  });
});
