import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";

import type { EventStore, RecordedEvent } from "@hostledger/store";
import { realTiming } from "@hostledger/runtime";
import { directoryOfTest } from "@hostledger/runtime/testing";
import {
  consistencyProof,
  openNote,
  parseVerifierKey,
  rootOf,
  verifyConsistency,
} from "@hostledger/audit/log";
import { beforeEach, expect, it } from "vitest";

import type { AuditLog } from "./audit-log.ts";
import { appendEvents, openTestLog, openTestStore, untilCovered } from "./audit-log.fixture.ts";
import { stoppingFiles } from "./stopping-writes.fixture.ts";

let folder = "";
beforeEach(() => {
  folder = directoryOfTest();
});

async function eventAt(store: EventStore, index: number): Promise<RecordedEvent> {
  let before = 0;
  for await (const { events } of store.subscribe({ from: "start" })) {
    const event = events[index - before];
    if (event !== undefined) return event;
    before += events.length;
  }
  throw new Error(`the store has no event ${String(index)}`);
}

function signaturesOf(log: AuditLog): number {
  return openNote(log.checkpoint().note, log.verifierKeys().map(parseVerifierKey)).signatures.length;
}

it("continues after a restart, consistent with the earlier checkpoint", async () => {
  const store = await openTestStore(folder);
  await appendEvents(store, 700);
  let log = await openTestLog(store, folder);
  await untilCovered(log, 700);
  const first = log.checkpoint();
  await log.close();
  await appendEvents(store, 600);
  log = await openTestLog(store, folder);
  await untilCovered(log, 1_300);
  const second = log.checkpoint();
  const proof = await consistencyProof(700, 1_300, log.readTile);
  expect(
    verifyConsistency({ first: 700, second: 1_300, firstRoot: first.root, secondRoot: second.root, proof }),
  ).toBe(true);
  expect(await rootOf(700, log.readTile)).toEqual(first.root);
  expect(await log.indexOf(await eventAt(store, 1_111))).toBe(1_111);
  expect(await log.entries(250, 20)).toHaveLength(20);
  // One checkpoint per hour is stored, even after restarts.
  expect(await log.history.sizes()).toHaveLength(1);
  await expect(openTestLog(store, folder)).rejects.toThrow("in use by another running Hostledger");
  await log.close();
  await store.close();
});

it("signs with a new key without new events, and writes nothing when idle", async () => {
  const store = await openTestStore(folder);
  await appendEvents(store, 300);
  let log = await openTestLog(store, folder);
  await untilCovered(log, 300);
  expect(signaturesOf(log)).toBe(1);
  await log.rotate();
  expect(signaturesOf(log)).toBe(2);
  const file = join(folder, "audit", "checkpoint");
  const { mtimeMs } = await stat(file);
  await realTiming.sleep(200);
  expect((await stat(file)).mtimeMs).toBe(mtimeMs);
  expect((await stat(join(folder, "audit", "key"))).mode & 0o777).toBe(0o600);
  await log.close();

  // If a process stops after it wrote the key and before it signed, the next process signs with the key.
  for (const write of [2, 3]) {
    log = await openTestLog(store, folder, { wrapFiles: stoppingFiles(write, "before").wrap });
    await log.rotate().catch(() => undefined);
    await log.close().catch(() => undefined);
  }
  log = await openTestLog(store, folder);
  expect(log.verifierKeys().length).toBeGreaterThan(2);
  expect(signaturesOf(log)).toBe(log.verifierKeys().length);
  await log.close();
  await store.close();
});

it("stops at a store that differs from its record, and at an older one", async () => {
  const store = await openTestStore(folder);
  await appendEvents(store, 300);
  const log = await openTestLog(store, folder);
  await untilCovered(log, 300);
  const { note } = log.checkpoint();
  await log.close();
  await store.close();
  const lacking = "The event store ends before the last of the 300 events of the audit log";
  for (const [count, sentence] of [
    [300, "is not the one in the audit log: one of them was changed"],
    [100, lacking],
    [0, lacking],
  ] as const) {
    const other = await openTestStore(folder, `other-${String(count)}.sqlite`);
    await appendEvents(other, count);
    const again = await openTestLog(other, folder);
    await again.ready();
    const { status, sentence: reported } = again.health();
    expect(status).toBe("stopped");
    expect(reported).toContain(sentence);
    await expect(again.rotate()).rejects.toThrow(sentence);
    await again.close();
    expect(again.checkpoint().note).toBe(note);
    await other.close();
  }
});

it("reports its distance from the end of the store: zero while it follows, growing after it stopped", async () => {
  const store = await openTestStore(folder);
  await appendEvents(store, 300);
  const log = await openTestLog(store, folder);
  await untilCovered(log, 300);
  expect(await log.behind()).toBe(0n);
  await log.close();
  await store.close();
  const other = await openTestStore(folder, "other.sqlite");
  await appendEvents(other, 300);
  const stopped = await openTestLog(other, folder);
  await stopped.ready();
  expect(stopped.health().status).toBe("stopped");
  const first = await stopped.behind();
  expect(first).toBeGreaterThan(0n);
  await appendEvents(other, 20);
  expect(await stopped.behind()).toBe(first + 20n);
  await stopped.close();
  await other.close();
});

it("reports that it cannot write, and continues when it can", async () => {
  const store = await openTestStore(folder);
  let isFull = false;
  const log = await openTestLog(store, folder, {
    wrapFiles: (files) => ({
      ...files,
      write: (path, bytes) => {
        if (isFull) return Promise.reject(new Error("no space left on device"));
        return files.write(path, bytes);
      },
    }),
  });
  await log.ready();
  isFull = true;
  await appendEvents(store, 300);
  await expect.poll(() => log.health().status).toBe("failing");
  expect(log.health().sentence).toContain("no space left on device");
  expect(log.checkpoint().size).toBe(0);
  isFull = false;
  await untilCovered(log, 300);
  expect(log.health()).toEqual({ status: "following" });
  await log.close();
  expect(await readdir(join(folder, "audit"))).toContain("positions");
  await store.close();
});

it("does not treat a read that was aborted by closing as a contradiction", async () => {
  const store = await openTestStore(folder);
  await appendEvents(store, 300);
  const log = await openTestLog(store, folder);
  await untilCovered(log, 300);
  const reading = log.entries(0, 300);
  const closing = log.close();
  await reading.catch((error: unknown) => {
    expect(error).toMatchObject({ message: "The audit log is being closed." });
  });
  await closing;
  expect(log.health()).toEqual({ status: "following" });
  await store.close();
});
