import {
  chmodSync,
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

import { silentLogger } from "@hostledger/runtime";
import { directoryOfSuite } from "@hostledger/runtime/testing";
import { partNames } from "@hostledger/rpc";
import { beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";

import { readConfiguration } from "../configuration/index.ts";
import { startStandaloneNode } from "../event-store-node.ts";
import { readinessOf, staffOf } from "../standalone.fixture.ts";
import { startParts } from "../start-parts.ts";
import { withStore } from "../store-file.ts";
import { makeBackup } from "./make-backup.ts";
import { formatManifest, parseManifest } from "./manifest.codec.ts";
import { restoreBackup } from "./restore-backup.ts";

const acceptanceSchema = z.object({
  series: z.number(),
  sequences: z.array(z.object({ sequence: z.string(), last: z.number() })),
});
type Acceptance = z.infer<typeof acceptanceSchema>;

const root = directoryOfSuite();
const at = (...names: string[]): string => join(root, ...names);
const configured = (data: string) => readConfiguration({ HOSTLEDGER_DATA: at(data) });
const backup = (data: string, set: string) => makeBackup({ configuration: configured(data), set: at(set) });
const restore = (set: string, data: string) =>
  restoreBackup({ configuration: configured(data), set: at(set) });

function startIn(data: string, more: Readonly<Record<string, string>> = {}) {
  mkdirSync(at(data), { recursive: true, mode: 0o700 });
  const ports = { HOSTLEDGER_PORT: "0", HOSTLEDGER_ADMIN_PORT: "0" };
  const environment = { HOSTLEDGER_DATA: at(data), ...ports, ...more };
  return startParts(partNames, {
    configuration: readConfiguration(environment),
    logger: silentLogger(),
    onFatal(error) {
      throw error;
    },
  });
}

let count = 0;
/** A copy of the set, to be harmed. @returns its name */
function copyOf(set: string): string {
  count += 1;
  const name = `${set}-${String(count)}`;
  cpSync(at(set), at(name), { recursive: true });
  return name;
}

/** A copy of the set that records no restore. @returns its name */
function neverRestored(set: string): string {
  const name = copyOf(set);
  rmSync(at(name, "restored.json"), { force: true });
  return name;
}

/** The acceptance that a restore records. */
function acceptanceIn(data: string): Promise<Acceptance> {
  return withStore(configured(data), async (store) => {
    const found: Acceptance[] = [];
    for await (const event of store.read("rewind-all"))
      found.push(acceptanceSchema.parse(JSON.parse(event.data)));
    return found.at(-1) ?? { series: 0, sequences: [] };
  });
}

/** A set is refused, and nothing is left where the data would have been. */
async function expectRefused(set: string, sentence: RegExp): Promise<void> {
  await expect(restore(set, "none")).rejects.toThrow(sentence);
  expect(existsSync(at("none"))).toBe(false);
}

/** Two instances that were used a little, each backed up twice, in use and after it was closed. */
beforeAll(async () => {
  for (const name of ["first", "second"]) {
    const instance = await startIn(name);
    const demo = await instance.openDemo();
    await backup(name, `${name}-set`);
    const headers = { authorization: demo?.apiKey ?? "", "content-type": "application/json" };
    const order = { method: "POST", headers, body: JSON.stringify({ domain: `${name}.com` }) };
    expect((await fetch(`${instance.baseUrl}/domains`, order)).status).toBe(201);
    await instance.close();
    await backup(name, `${name}-set`);
  }
});

describe("a test copy", () => {
  it("draws a random part of its own, which a restore in place of the original does not", async () => {
    const partsIn = async (data: string): Promise<readonly string[]> => {
      const configuration = configured(data);
      return withStore(configuration, async (store) => {
        const parts: string[] = [];
        for await (const event of store.read("installation-all"))
          parts.push(`${event.type} ${/"part":"(\w+)"/.exec(event.data)?.[1] ?? "none"}`);
        return parts;
      });
    };
    await restore("first-set", "restored-first");
    await restoreBackup({ configuration: configured("copied-first"), set: at("first-set"), isCopy: true });
    const [original, copied] = [await partsIn("restored-first"), await partsIn("copied-first")];
    expect(original).toEqual([expect.stringMatching(/^InstallationNamed\.v1 [a-z][a-z0-9]{5}$/)]);
    expect(copied).toEqual([...original, expect.stringMatching(/^InstallationCopied\.v1 [a-z][a-z0-9]{5}$/)]);
    expect(copied[1]?.split(" ")[1]).not.toBe(original[0]?.split(" ")[1]);
    // The copy starts and sells, and its audit log goes on.
    const instance = await startIn("copied-first");
    await instance.close();
  });
});

describe("a set", () => {
  it("is for its owner only, and holds each thing once", () => {
    const manifest = parseManifest(readFileSync(at("first-set", "manifest.json"), "utf8"), "manifest.json");
    const names = manifest.files.map(({ path }) => path.slice(7));
    // Documents are archived in the background, so one run or both find some.
    const others = names.filter((name) => !/^(audit\/checkpoints\/|documents\.sqlite$)/u.test(name));
    expect(others.sort()).toEqual(
      [
        "admin.token",
        "audit/key",
        "events.sqlite",
        "events.sqlite",
        "sandbox.sqlite",
        "subject-keys.sqlite",
      ].sort(),
    );
    expect(names.some((name) => name.startsWith("audit/checkpoints/"))).toBe(true);
    for (const { path } of manifest.files) expect(statSync(at("first-set", path)).mode & 0o077).toBe(0);
    // Unchanged files stay where the first run wrote them.
    expect(manifest.files.map(({ path }) => path)).toContain("000001/audit/key");
    expect(existsSync(at("first-set", "000002", "audit", "key"))).toBe(false);
  });

  it("is put into no directory that others may write", async () => {
    mkdirSync(at("shared"));
    chmodSync(at("shared"), 0o770);
    await expect(restore("first-set", "shared")).rejects.toThrow(
      /^Others than its owner may write in .* 0700\.$/,
    );
    expect(readdirSync(at("shared"))).toEqual([]);
  });

  it("restores the same events, keys and secrets", async () => {
    const made = await backup("first", "first-set");
    expect(await restore("first-set", "again")).toEqual({ ...made, notices: [] });
    expect(rowsOf("again", made.position)).toEqual(rowsOf("first"));
    for (const name of ["admin.token", "audit/key"])
      expect(readFileSync(at("again", name), "utf8")).toBe(readFileSync(at("first", name), "utf8"));
    expect(readdirSync(at("again"))).not.toContain("restoring");
    const instance = await startIn("again");
    expect(await readinessOf(instance, at("again"))).toMatchObject({
      status: 200,
      body: { parts: { "audit-log": "following" } },
    });
    await instance.close();
  });

  it("is accepted as an older backup, so that its ids and documents differ from later ones", async () => {
    await restore("first-set", "accepted");
    const instance = await startIn("accepted");
    expect(await readinessOf(instance, at("accepted"))).toMatchObject({
      status: 200,
      body: { parts: { "event-store": "reachable" } },
    });
    const staff = staffOf(instance, at("accepted"));
    const { accountId } = await staff.accounts.openAccount({ name: "New", vatExempt: false });
    expect(accountId).toBeGreaterThan(10_000n);
    await instance.close();
  });

  it("continues above its earlier restores when it is restored again", async () => {
    const set = neverRestored("first-set");
    await restore(set, "restored-once");
    await restore(set, "restored-twice");
    const [once, twice] = [await acceptanceIn("restored-once"), await acceptanceIn("restored-twice")];
    expect([once.series, twice.series]).toEqual([1, 2]);
    expect(once.sequences.length).toBeGreaterThan(0);
    expect(twice.sequences).toEqual(
      once.sequences.map(({ sequence, last }) => ({ sequence, last: last + 10_000 })),
    );
  });

  it("is restored even if the set accepts no file, and names the effect of a second restore", async () => {
    const set = neverRestored("first-set");
    mkdirSync(at(set, "restored.json.new"));
    const { notices } = await restore(set, "from-read-only");
    expect(notices).toEqual([expect.stringMatching(/cannot be written.*make a new backup/)]);
    expect((await acceptanceIn("from-read-only")).series).toBe(1);
  });

  it("names a changed record of earlier restores", async () => {
    const set = copyOf("first-set");
    writeFileSync(at(set, "restored.json"), "{}garbage");
    await expect(restore(set, "none")).rejects.toThrow(/restored\.json was changed.*--above/);
  });

  it("refuses another store, and stays unchanged", async () => {
    const set = copyOf("first-set");
    const before = readFileSync(at(set, "manifest.json"), "utf8");
    await expect(backup("second", set)).rejects.toThrow(/is of another store/);
    expect(readFileSync(at(set, "manifest.json"), "utf8")).toBe(before);
    await restore(set, "unharmed");
  });

  it("refuses a directory of other files, and missing data", async () => {
    mkdirSync(at("photos"));
    writeFileSync(at("photos", "holiday.jpg"), "");
    await expect(backup("first", "photos")).rejects.toThrow(/not a backup's \(holiday\.jpg\)/);
    await expect(backup("nowhere", "set-of-nothing")).rejects.toThrow(/nothing to back up/);
    expect(existsSync(at("set-of-nothing"))).toBe(false);
  });

  it("is made by one run at a time, and stays complete if two run at once", async () => {
    const set = copyOf("first-set");
    const runs = await Promise.allSettled([backup("first", set), backup("first", set)]);
    const refusals = runs.flatMap((run) => (run.status === "rejected" ? [String(run.reason)] : []));
    expect(refusals).toEqual([expect.stringMatching(/another backup is writing .*: wait for it to end\.$/i)]);
    await restore(set, "after-two");
    await backup("first", set);
  });

  it("continues after an interrupted run", async () => {
    const set = copyOf("first-set");
    mkdirSync(at(set, "000009"));
    writeFileSync(at(set, "000009", "events.sqlite"), "half a ");
    const { position } = await backup("first", set);
    expect(readdirSync(at(set))).not.toContain("000009");
    expect((await restore(set, "after-cut")).position).toBe(position);
  });
});

describe("restoring", () => {
  it("refuses half a set", async () => {
    const noManifest = copyOf("first-set");
    rmSync(at(noManifest, "manifest.json"));
    await expectRefused(noManifest, /^There is no backup in .*: it has no manifest\.json/);
    for (const name of ["events.sqlite", "subject-keys.sqlite"]) {
      const set = copyOf("first-set");
      for (const run of ["000001", "000002"]) rmSync(at(set, run, name), { force: true });
      await expectRefused(set, /is missing: the backup is not whole\.$/);
    }
  });

  it("refuses a set with any one file changed", async () => {
    const { files } = parseManifest(readFileSync(at("first-set", "manifest.json"), "utf8"), "");
    for (const { path } of files) {
      const set = copyOf("first-set");
      flipIn(at(set, path));
      await expectRefused(set, /is not as the backup wrote it/);
    }
    const set = copyOf("first-set");
    flipIn(at(set, "manifest.json"));
    await expectRefused(set, /manifest\.json is not /);
    const longer = copyOf("first-set");
    appendFileSync(at(longer, "000001", "events.sqlite"), "x");
    await expectRefused(longer, /is not as the backup wrote it/);
  });

  it("refuses a set of two stores mixed", async () => {
    const events = copyOf("first-set");
    cpSync(at("second-set", "000002", "events.sqlite"), at(events, "000002", "events.sqlite"));
    await expectRefused(events, /changed, or belongs to another backup/);
    const manifest = copyOf("first-set");
    cpSync(at("second-set", "manifest.json"), at(manifest, "manifest.json"));
    await expectRefused(manifest, /changed, or belongs to another backup|is missing/);
  });

  it("refuses one store's events with another store's checkpoints, even with correct hashes", async () => {
    const set = copyOf("first-set");
    const other = parseManifest(readFileSync(at("second-set", "manifest.json"), "utf8"), "");
    const own = parseManifest(readFileSync(at(set, "manifest.json"), "utf8"), "");
    const isLog = ({ path }: { path: string }) => path.includes("/audit/");
    const files = [...own.files.filter((file) => !isLog(file)), ...other.files.filter(isLog)];
    for (const { path } of own.files.filter(isLog)) rmSync(at(set, path));
    for (const { path } of other.files.filter(isLog)) cpSync(at("second-set", path), at(set, path));
    writeFileSync(at(set, "manifest.json"), formatManifest({ ...own, files }));
    await expectRefused(set, /The events are not those of the checkpoint that was signed at \d+ events/);
  });

  it("refuses events that differ from the manifest, even with correct hashes", async () => {
    const set = copyOf("first-set");
    const own = parseManifest(readFileSync(at(set, "manifest.json"), "utf8"), "");
    const files = own.files.filter(({ path }) => path !== "000002/events.sqlite");
    writeFileSync(at(set, "manifest.json"), formatManifest({ ...own, files }));
    await expectRefused(set, /The events in .* are not those that its manifest\.json names/);
  });

  it("refuses another version's set", async () => {
    const set = copyOf("first-set");
    const text = readFileSync(at(set, "manifest.json"), "utf8").replace('"version": 1', '"version": 2');
    writeFileSync(at(set, "manifest.json"), text);
    await expectRefused(set, /another version of Hostledger \(format 2; this one reads 1\)/);
  });

  it("refuses a set of an embedded store if a server is configured", async () => {
    const configuration = { ...configured("none"), eventStore: "esdb://127.0.0.1:1?tls=false" };
    const restoring = restoreBackup({ configuration, set: at("first-set") });
    await expect(restoring).rejects.toThrow(/holds the events of an embedded store/);
    expect(existsSync(at("none"))).toBe(false);
  });

  it("changes no existing file", async () => {
    const before = readdirSync(at("second")).sort();
    await expect(restore("first-set", "second")).rejects.toThrow(/is not empty/);
    expect(readdirSync(at("second")).sort()).toEqual(before);
    mkdirSync(at("busy", "restoring"), { recursive: true });
    await expect(restore("first-set", "busy")).rejects.toThrow(/another restore is at work/);
  });
});

it("leaves the events on a server to the server's own backup, and checks them against the log", async () => {
  const served = await startServed("served");
  const other = await startServed("other");
  try {
    const eventStore = served.connectionString;
    const instance = await startIn("client", { HOSTLEDGER_EVENT_STORE: eventStore });
    await instance.openDemo();
    await instance.close();
    const made = await makeBackup({
      configuration: { ...configured("client"), eventStore },
      set: at("client-set"),
    });
    expect(made.notices).toEqual([
      expect.stringMatching(/^The events are on EventStoreDB and not in this set/),
    ]);
    expect(made.events).toBeGreaterThan(40);
    const restoring = (url: string) =>
      restoreBackup({ configuration: { ...configured("returned"), eventStore: url }, set: at("client-set") });
    await expect(restoring(other.connectionString)).rejects.toThrow(/lacks some of its past/);
    await expect(restore("client-set", "returned")).rejects.toThrow(/restore the server first/);
    expect(existsSync(at("returned"))).toBe(false);
    expect(await restoring(eventStore)).toMatchObject({ position: made.position, events: made.events });
    const again = await startIn("returned", { HOSTLEDGER_EVENT_STORE: eventStore });
    await again.close();
  } finally {
    await served.close();
    await other.close();
  }
});

function startServed(data: string) {
  mkdirSync(at(data), { mode: 0o700 });
  return startStandaloneNode({
    configuration: readConfiguration({
      HOSTLEDGER_DATA: at(data),
      HOSTLEDGER_ESDB_PORT: "0",
      HOSTLEDGER_ESDB_WRITERS: "anyone",
    }),
    logger: silentLogger(),
    onFatal(error) {
      throw error;
    },
  });
}

/** Changes one bit in the middle of a file. */
function flipIn(path: string): void {
  const bytes = readFileSync(path);
  const middle = Math.floor(bytes.length / 2);
  bytes.writeUInt8(bytes.readUInt8(middle) ^ 1, middle);
  writeFileSync(path, bytes);
}

function rowsOf(data: string, last = 1_000_000n): unknown {
  const store = new DatabaseSync(at(data, "events.sqlite"), { readOnly: true });
  const keys = new DatabaseSync(at(data, "subject-keys.sqlite"), { readOnly: true });
  try {
    return [
      store.prepare("SELECT * FROM events WHERE position <= ? ORDER BY position").all(last),
      store
        .prepare(
          "SELECT * FROM streams WHERE id IN (SELECT stream_id FROM events WHERE position <= ?) ORDER BY id",
        )
        .all(last),
      keys.prepare("SELECT * FROM subject_keys ORDER BY subject").all(),
    ];
  } finally {
    store.close();
    keys.close();
  }
}
