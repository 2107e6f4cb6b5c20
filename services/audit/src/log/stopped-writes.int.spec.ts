import { copyFile, mkdir, rm } from "node:fs/promises";
import { join } from "node:path";

import { directoryOfSuite } from "@hostledger/runtime/testing";
import { beforeAll, expect, it } from "vitest";

import type { AuditLog } from "./audit-log.ts";
import {
  appendEvents,
  expectSoundFiles,
  openTestLog,
  openTestStore,
  untilCovered,
} from "./audit-log.fixture.ts";
import { stoppingFiles, type StoppedWrite } from "./stopping-writes.fixture.ts";

const folder = directoryOfSuite();
beforeAll(async () => {
  const store = await openTestStore(folder);
  await appendEvents(store, 600);
  await store.close();
});

const laterEvents = 100;

/** Begins, grows and rotates a log until it stops at a write, then continues from the files on disk. */
async function stopAt(write: number, left: StoppedWrite): Promise<"stopped" | "finished"> {
  const own = join(folder, `${left}-${String(write)}`);
  await mkdir(own);
  await copyFile(join(folder, "events.sqlite"), join(own, "events.sqlite"));
  const store = await openTestStore(own);
  const files = stoppingFiles(write, left);
  let log: AuditLog | undefined;
  try {
    log = await openTestLog(store, own, { wrapFiles: files.wrap });
    const isOver = (size: number) => (): boolean => files.stopped() || (log?.checkpoint().size ?? 0) === size;
    await expect.poll(isOver(600), { interval: 5 }).toBe(true);
    await log.rotate().catch(() => undefined);
    await appendEvents(store, 500);
    await expect.poll(isOver(1_100), { interval: 5 }).toBe(true);
  } catch (error) {
    if (!files.stopped()) throw error;
  }
  await log?.close().catch(() => undefined);
  const earlier = await expectSoundFiles(own, undefined).catch((error: unknown) => {
    throw new Error(`stopped ${left} write ${String(write)}`, { cause: error });
  });

  const again = await openTestLog(store, own);
  await again.ready();
  await appendEvents(store, laterEvents);
  const size = Number(await store.lastPosition());
  await untilCovered(again, size);
  expect(again.health()).toEqual({ status: "following" });
  await again.close();
  await expectSoundFiles(own, earlier);
  await store.close();
  await rm(own, { recursive: true });
  return files.stopped() ? "stopped" : "finished";
}

it.each<StoppedWrite>(["before", "torn", "after"])(
  "continues, consistent with the published part, after stopping %s any write",
  async (left) => {
    let write = 1;
    while ((await stopAt(write, left)) === "stopped") write += 1;
    // The key, at least two checkpoints, tiles, positions, names, the history and the second key.
    expect(write).toBeGreaterThan(15);
  },
);
