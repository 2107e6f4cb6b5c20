import { randomUUID } from "node:crypto";
import { cpSync } from "node:fs";
import { readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

import type { EventStore } from "@hostledger/store";
import { directoryOfTest } from "@hostledger/runtime/testing";
import { describe, expect, it, onTestFinished } from "vitest";

import {
  appendEvents,
  checkpointOnDisk,
  expectSoundFiles,
  openTestLog,
  openTestStore,
  untilCovered,
} from "./audit-log.fixture.ts";

/** Makes a closed log of 300 events in its own folder. */
async function closedLog(): Promise<{ store: Awaited<ReturnType<typeof openTestStore>>; folder: string }> {
  const folder = directoryOfTest();
  const store = await openTestStore(folder);
  onTestFinished(async () => {
    await store.close();
  });
  await appendEvents(store, 300);
  const log = await openTestLog(store, folder);
  await untilCovered(log, 300);
  await log.close();
  return { store, folder };
}

it.each([
  ["all but its key", async (audit: string, names: string[]) => removeAllBut(audit, names, ["key"])],
  ["its checkpoint", async (audit: string) => rm(join(audit, "checkpoint"))],
  ["everything", async (audit: string) => rm(audit, { recursive: true })],
  ["all files in its directory", async (audit: string, names: string[]) => removeAllBut(audit, names, [])],
  ["its key", async (audit: string) => rm(join(audit, "key"))],
  ["the words of its key", async (audit: string) => writeFile(join(audit, "key"), "garbage")],
  ["its key and its checkpoint", async (audit: string) => removeAllBut(audit, ["key", "checkpoint"], [])],
  ["its tiles", async (audit: string) => rm(join(audit, "tile"), { recursive: true })],
  ["the bytes of its tiles", async (audit: string) => garble(join(audit, "tile"))],
  ["the words of its checkpoint", async (audit: string) => writeFile(join(audit, "checkpoint"), "garbage")],
])("a log that has lost %s does not sign a new history on its own", async (_what, lose) => {
  const { store, folder } = await closedLog();
  const audit = join(folder, "audit");
  const before = await checkpointOnDisk(folder);
  await lose(audit, await readdir(audit));

  const log = await openTestLog(store, folder);
  expect(log.health()).toMatchObject({ status: "stopped", sentence: /audit log restart --reason/ });
  expect(() => log.checkpoint()).toThrow(/audit log/);
  await log.close();
  const again = await openTestLog(store, folder);
  expect(again.lost).toBeDefined();
  expect(again.health()).toMatchObject({ status: "stopped" });

  await again.restart();
  await untilCovered(again, 300);
  await expect(again.restart()).rejects.toThrow("nothing was lost");
  await again.close();
  await expectSoundFiles(folder, before);
});

it("a log that was begun over an empty store, and has lost everything, begins again: nothing was recorded", async () => {
  const folder = directoryOfTest();
  const store = await openTestStore(folder);
  onTestFinished(async () => {
    await store.close();
  });
  await (await openTestLog(store, folder)).close();
  await rm(join(folder, "audit"), { recursive: true });
  const log = await openTestLog(store, folder);
  expect(log.lost).toBeUndefined();
  await log.close();
});

describe("without any file of a log, and without the mark beside it", () => {
  it.each(["staff:ada", "account:7:3", "service:domain"])(
    "a store in which %s has done something has lost its log",
    async (actor) => {
      const { store } = await closedLog();
      await appendOwn(store, actor);
      const folder = directoryOfTest();
      const log = await openTestLog(store, folder);
      expect(log.lost).toMatch(/^hostledger\//);
      expect(log.health()).toEqual({
        status: "stopped",
        sentence:
          "The event store has events, and no audit log of them is in DATA/audit: restore DATA/audit from a backup, or have it made anew with `hostledger audit log restart --reason …`.",
      });
      await log.close();
      const again = await openTestLog(store, folder);
      expect(again.lost).toBeDefined();
      await again.restart();
      await untilCovered(again, 301);
      await again.close();
      await expectSoundFiles(folder, undefined);
    },
  );

  it.each(["{}", '{"actor":"process:x","recordedBy":"spec"}', "not JSON"])(
    "an event of ours counts with the damaged metadata %s, too",
    async (metadata) => {
      const { store } = await closedLog();
      const damaged = { id: randomUUID(), type: "AccountOpened.v1", data: "{}", metadata };
      await store.append("account-1", "no-stream", [damaged]);
      const log = await openTestLog(store, directoryOfTest());
      expect(log.lost).toBeDefined();
      await log.close();
    },
  );

  it("a new store begins its log, even if processes and other software have written to it", async () => {
    const { store } = await closedLog();
    for (const actor of ["system", "restore", "process:store-owner"]) await appendOwn(store, actor);
    const log = await openTestLog(store, directoryOfTest());
    await untilCovered(log, 303);
    expect(log.lost).toBeUndefined();
    await log.close();
  });

  it("a store that was just imported begins its log on an engine with its own times, until it is used", async () => {
    const { store } = await closedLog();
    await appendOwn(store, "staff:ada");
    const times = { id: randomUUID(), type: "OriginalTimes.v1", data: '{"times":[]}', metadata: "{}" };
    await store.append("transfer-times", "no-stream", [times]);
    const log = await openTestLog(store, directoryOfTest());
    expect(log.lost).toBeUndefined();
    await log.close();
    await appendOwn(store, "staff:ada");
    const elsewhere = await openTestLog(store, directoryOfTest());
    expect(elsewhere.lost).toBeDefined();
    await elsewhere.close();
  });
});

/** Appends an own event caused by this actor. */
async function appendOwn(store: EventStore, actor: string): Promise<void> {
  const metadata = JSON.stringify({ commandId: "one", correlationId: "one", actor, recordedBy: "spec" });
  await store.append(`plan-${randomUUID()}`, "no-stream", [
    { id: randomUUID(), type: "PlanAdded.v1", data: "{}", metadata },
  ]);
}

it("a log whose first key was made and never signed with begins", async () => {
  const folder = directoryOfTest();
  const store = await openTestStore(folder);
  const first = await openTestLog(store, folder);
  const [key] = first.verifierKeys();
  await first.close();
  onTestFinished(async () => {
    await store.close();
  });
  // The state after a process was killed between the key and the first checkpoint.
  const audit = join(folder, "audit");
  await removeAllBut(audit, await readdir(audit), ["key"]);
  await writeFile(join(audit, "unsigned"), "");
  const log = await openTestLog(store, folder);
  expect([log.lost, log.verifierKeys()]).toEqual([undefined, [key]]);
  await log.close();
});

async function garble(directory: string): Promise<void> {
  for (const entry of await readdir(directory, { recursive: true, withFileTypes: true }))
    if (entry.isFile()) await writeFile(join(entry.parentPath, entry.name), "garbage");
}

async function removeAllBut(
  directory: string,
  names: readonly string[],
  kept: readonly string[],
): Promise<void> {
  for (const name of names)
    if (!kept.includes(name)) await rm(join(directory, name), { recursive: true, force: true });
}

it("only one process writes a log", async () => {
  const { store, folder } = await closedLog();
  const first = await openTestLog(store, folder);
  await expect(openTestLog(store, folder)).rejects.toThrow("is in use");
  await first.close();
});

it("two processes with one log and key in separate directories sign one history", async () => {
  const { store, folder } = await closedLog();
  const copy = directoryOfTest();
  // An operator copies a log to another machine and forgets that the first one still runs.
  cpSync(join(folder, "audit"), join(copy, "audit"), { recursive: true });
  const folders = [folder, copy];
  const logs = await Promise.all(folders.map((each) => openTestLog(store, each)));
  const signed: { readonly size: number; readonly root: Uint8Array }[] = [];
  for (let size = 337; size <= 485; size += 37) {
    // Each log makes checkpoints at its own times, so nearly all of their sizes differ.
    for (const part of [18, 19]) {
      await appendEvents(store, part);
      for (const each of folders)
        signed.push((await checkpointOnDisk(each)) ?? { size: 0, root: new Uint8Array() });
    }
    for (const log of logs) await untilCovered(log, size);
    for (const each of folders)
      signed.push((await checkpointOnDisk(each)) ?? { size: 0, root: new Uint8Array() });
  }
  for (const log of logs) await log.close();
  expect(signed).toHaveLength(30);
  for (const each of folders) for (const checkpoint of signed) await expectSoundFiles(each, checkpoint);
});
