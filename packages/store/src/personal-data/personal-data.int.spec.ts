import { join } from "node:path";

import {
  openEmbeddedEventStore,
  openSqliteSnapshots,
  type EventStore,
  type EventToAppend,
} from "../index.ts";
import { directoryOfTest } from "@hostledger/runtime/testing";
import { describe, expect, it, onTestFinished } from "vitest";

import {
  cacheSubjectKeys,
  createKeyLosses,
  followErasures,
  openRows,
  openSqliteSubjectKeys,
  sealPersonalData,
  sealSnapshots,
  SubjectKeyMissingError,
  type KeyLoss,
  type SubjectKeys,
} from "./index.ts";
import { isOnDisk } from "./is-on-disk.fixture.ts";

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
  metadata: JSON.stringify({ correlationId: "c", actor: "staff", recordedBy: "spec", commandId: "c" }),
};

async function openHarness() {
  const directory = directoryOfTest();
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
  });
  return { directory, path, raw, keys, store: sealPersonalData(raw, keys) };
}

/** Wraps the keys as a plain object, whose methods a spec can replace. */
function portOf(keys: SubjectKeys): SubjectKeys {
  return {
    find: (subjects) => keys.find(subjects),
    obtain: (subject) => keys.obtain(subject),
    destroy: (subject) => keys.destroy(subject),
    retained: (filter) => keys.retained(filter),
    erasuresUntil: () => keys.erasuresUntil(),
    markErasuresUntil: (mark) => keys.markErasuresUntil(mark),
    firstEvent: () => keys.firstEvent(),
    markFirstEvent: (id) => keys.markFirstEvent(id),
    close: () => keys.close(),
  };
}

async function datasOf(store: EventStore, stream: string): Promise<string[]> {
  const datas: string[] = [];
  for await (const { data } of store.read(stream)) datas.push(data);
  return datas;
}

async function namesOf(store: EventStore, stream: string): Promise<unknown[]> {
  return (await datasOf(store, stream)).map((data) => (JSON.parse(data) as { name: unknown }).name);
}

describe("the sealed store", () => {
  it("stores ciphertext on disk, and returns the text by read and by subscription", async () => {
    const { directory, raw, store } = await openHarness();
    await store.append("account-1", "no-stream", [opened(1)]);
    expect(await namesOf(store, "account-1")).toEqual([name]);
    expect(await namesOf(raw, "account-1")).toEqual([
      expect.stringMatching(/^sealed:v2:account-1:[A-Za-z0-9_-]{8}:[A-Za-z0-9_-]+$/),
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

  it("seals equal texts differently in each event", async () => {
    const { raw, store } = await openHarness();
    await store.append("account-1", "no-stream", [opened(1, 1), opened(1, 2)]);
    const [one, two] = await namesOf(raw, "account-1");
    expect(one).not.toBe(two);
  });

  it("passes events without personal data on unchanged, in the same array", async () => {
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

  it("reads unsealed texts of earlier versions unchanged", async () => {
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

  it("reads texts of the first form, which do not name their key", async () => {
    const { raw, store } = await openHarness();
    await store.append("account-1", "no-stream", [opened(1)]);
    const [sealed = ""] = await datasOf(raw, "account-1");
    const first = sealed.replace(/sealed:v2:account-1:[A-Za-z0-9_-]{8}:/u, "sealed:v1:account-1:");
    expect(first).not.toBe(sealed);
    await raw.append("account-1", 0n, [{ ...opened(1, 2), data: first }]);
    expect(await namesOf(store, "account-1")).toEqual([name, name]);
  });

  it("reports a lost or another key, or a damaged text, and reads the texts of others", async () => {
    const { directory, raw, keys, store } = await openHarness();
    await store.append("account-1", "no-stream", [opened(1)]);
    await store.append("account-2", "no-stream", [opened(2)]);
    const losses: KeyLoss[] = [];
    const onLoss = (loss: KeyLoss): void => void losses.push(loss);
    const others = openSqliteSubjectKeys({ path: join(directory, "other.sqlite") });
    const without = sealPersonalData(raw, { ...portOf(others), onLoss });
    expect(await namesOf(without, "account-1")).toEqual(["[not available]"]);
    await others.obtain("account-1");
    expect(await namesOf(without, "account-1")).toEqual(["[not available]"]);
    expect(losses).toMatchObject([
      { subject: "account-1", reason: "missing" },
      { subject: "account-1", reason: "another" },
    ]);
    expect(new Set(losses.map(({ keyId }) => keyId)).size).toBe(1);
    await others.close();

    const [sealed = ""] = await datasOf(raw, "account-1");
    await raw.append("account-1", 0n, [
      { ...opened(1, 3), data: sealed.replace(/.{4}","vat/u, 'AAAA","vat') },
    ]);
    const tampered = sealPersonalData(raw, { ...portOf(keys), onLoss });
    expect(await namesOf(tampered, "account-1")).toEqual([name, "[not available]"]);
    expect(losses.at(-1)).toMatchObject({ subject: "account-1", reason: "damaged" });
    expect(await namesOf(tampered, "account-2")).toEqual([name]);
  });

  it("creates keys with the account only: none for an account whose key is missing", async () => {
    const { directory, raw, keys, store } = await openHarness();
    await store.append("account-1", "no-stream", [opened(1)]);
    const others = openSqliteSubjectKeys({ path: join(directory, "other.sqlite") });
    const losses: KeyLoss[] = [];
    const without = sealPersonalData(raw, { ...portOf(others), onLoss: (loss) => void losses.push(loss) });
    const ticket = (n: number, accountId: number): EventToAppend => ({
      id: id(n),
      type: "TicketOpened.v1",
      data: JSON.stringify({ ticketId: n, accountId, title: "t", message: "m" }),
      metadata: "{}",
    });
    await expect(without.append("ticket-3", "no-stream", [ticket(3, 1)])).rejects.toThrow(
      SubjectKeyMissingError,
    );
    expect((await others.find(["account-1"])).size).toBe(0);
    expect(losses).toMatchObject([{ subject: "account-1", reason: "missing" }]);
    // An account that is older than the keys has no key yet.
    await raw.append("account-2", "no-stream", [opened(2)]);
    await without.append("ticket-4", "no-stream", [ticket(4, 2)]);
    expect((await others.find(["account-2"])).size).toBe(1);
    await others.close();
    await store.append("ticket-3", "no-stream", [ticket(3, 1)]);
    expect((await keys.find(["account-1"])).size).toBe(1);
  });

  it("hides secrets from readers, those that were stored plain too, and opens them for code that acts with them", async () => {
    const { raw, keys, store } = await openHarness();
    await store.append("account-1", "no-stream", [opened(1)]);
    const created = {
      accountId: 1,
      webhookId: 1,
      url: "https://a.example",
      secret: "whsec_abc",
      kinds: null,
    };
    const stored = (n: number, type: string, data: object): EventToAppend => ({
      id: id(n),
      type,
      data: JSON.stringify(data),
      metadata: "{}",
    });
    await store.append("webhook-1", "no-stream", [stored(6, "WebhookCreated.v1", created)]);
    const plain = stored(7, "RequestAnswered.v2", {
      operationId: "o",
      accountId: 1,
      status: 201,
      body: '{"key":"hlk_1"}',
    });
    await raw.append("request-1", "no-stream", [plain]);
    const secretsStore = sealPersonalData(raw, keys, "secrets-too");

    expect(await datasOf(secretsStore, "webhook-1")).toEqual([JSON.stringify(created)]);
    expect(await datasOf(secretsStore, "request-1")).toEqual([plain.data]);
    const hidden = { ...created, url: "[secret]", secret: "[secret]" };
    expect(await datasOf(store, "webhook-1")).toEqual([JSON.stringify(hidden)]);
    expect(await datasOf(store, "request-1")).toEqual([expect.stringContaining('"body":"[secret]"')]);
    for await (const batch of store.subscribe({ from: "start" })) {
      expect(batch.events.map(({ data }) => data).join()).not.toMatch(/whsec_|hlk_/u);
      if (batch.caughtUp) break;
    }
    await keys.destroy("account-1");
    expect(await datasOf(store, "webhook-1")).toEqual([expect.stringContaining('"secret":"[erased]"')]);
  });

  it("stores unfinished and answered requests without their texts, rather than not at all", async () => {
    const { directory, raw, store } = await openHarness();
    await store.append("account-1", "no-stream", [opened(1)]);
    const others = openSqliteSubjectKeys({ path: join(directory, "other.sqlite") });
    const answered: EventToAppend = {
      id: id(5),
      type: "RequestAnswered.v2",
      data: JSON.stringify({ operationId: "o", accountId: 1, status: 201, body: '{"name":"Ada"}' }),
      metadata: "{}",
    };
    const data = JSON.stringify({ accountId: 1, fingerprint: "ab".repeat(32) });
    const begun = { ...answered, id: id(6), type: "RequestBegun.v1", data };
    await sealPersonalData(raw, others).append("request-1", "no-stream", [begun, answered]);
    expect(await datasOf(raw, "request-1")).toEqual([
      expect.stringContaining('"fingerprint":"[not available]"'),
      expect.stringContaining('"body":"[not available]"'),
    ]);
    await others.close();
  });
});

describe("rows and snapshots", () => {
  it("open with the key, and read [erased] without it, also unsealed ones", async () => {
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
    const others = { find: () => Promise.resolve(new Map()) };
    expect(await openRows(others, rows, columns)).toEqual([
      { id: 1, name: "[not available]" },
      { id: 1, name: "plain" },
    ]);
    await keys.destroy("account-1");
    expect((await openRows(keys, rows, columns)).map((row) => row.name)).toEqual(["[erased]", "[erased]"]);
  });

  it("of accounts contain no clear text, and are unreadable without the key", async () => {
    const { directory, keys } = await openHarness();
    const snapshots = sealSnapshots(openSqliteSnapshots({ path: join(directory, "snapshots.sqlite") }), keys);
    await keys.obtain("account-1");
    const head = { version: 1, revision: 3n, position: 9n, eventId: id(1) };
    await snapshots.save("account-1", head, [`{"name":"${name}"}`, "[]"]);
    const parts: string[] = [];
    for await (const part of (await snapshots.load("account-1"))?.parts ?? []) parts.push(part);
    expect(parts).toEqual([`{"name":"${name}"}`, "[]"]);
    expect(isOnDisk(directory, "King-Noel")).toBe(false);
    await keys.destroy("account-1");
    expect(await snapshots.load("account-1")).toBeUndefined();
    await snapshots.save("account-2", head, ["[]"]);
    expect((await keys.find(["account-2"])).size).toBe(0);
    expect(await snapshots.load("account-2")).toBeUndefined();
    await snapshots.close();
  });
});

describe("losses", () => {
  it("are stored once each, until the key is restored or destroyed", async () => {
    const { directory, raw, keys, store } = await openHarness();
    for (const n of [1, 2]) await store.append(`account-${String(n)}`, "no-stream", [opened(n)]);
    const others = openSqliteSubjectKeys({ path: join(directory, "other.sqlite") });
    const losses = createKeyLosses();
    const without = sealPersonalData(raw, { ...portOf(others), onLoss: losses.onLoss });
    for (let time = 0; time < 3; time += 1)
      for (const n of [1, 2]) await namesOf(without, `account-${String(n)}`);
    expect(losses.list().map(({ subject }) => subject)).toEqual(["account-1", "account-2"]);
    await losses.recheck(others);
    expect(losses.list()).toHaveLength(2);
    await others.obtain("account-2");
    await others.destroy("account-1");
    await losses.recheck(others);
    // Only the key that the texts name ends a loss, so this wrong key does not.
    expect(losses.list().map(({ subject }) => subject)).toEqual(["account-2"]);
    await losses.recheck(keys);
    expect(losses.list()).toEqual([]);
    await others.close();
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
  it("destroys the key of an erasure whose process died, once, and none for foreign events", async () => {
    const { raw, keys, store } = await openHarness();
    for (const accountId of [2, 1])
      await store.append(`account-${String(accountId)}`, "no-stream", [opened(accountId)]);
    await raw.append("account-2", 0n, [{ ...erased, id: id(901), metadata: "{}" }]);
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

  it("are not searched for again in a log that has none of accounts' events", async () => {
    const { keys, raw } = await openHarness();
    const others = Array.from({ length: 5 }, (_, n) => ({ ...opened(n, n), type: "DomainSuspended.v1" }));
    await raw.append("domain-example.com", "no-stream", others);
    const stop = new AbortController();
    const running = followErasures({ store: raw, keys, signal: stop.signal });
    await expect.poll(() => keys.erasuresUntil()).toBe(String(await raw.lastPosition()));
    stop.abort();
    await running;
  });
});
