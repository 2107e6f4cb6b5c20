import { mkdtempSync, rmSync } from "node:fs";
import { readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { expect, it, onTestFinished } from "vitest";

import {
  appendEvents,
  checkpointOnDisk,
  expectSoundFiles,
  openTestLog,
  openTestStore,
  untilCovered,
} from "./audit-log.fixture.ts";

/** A log of 300 events that was closed, in a folder of its own. */
async function closedLog(): Promise<{ store: Awaited<ReturnType<typeof openTestStore>>; folder: string }> {
  const { folder, remove } = temporaryFolder();
  const store = await openTestStore(folder);
  onTestFinished(async () => {
    await store.close();
    remove();
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
])("a log that has lost %s does not sign a new history by itself", async (_what, lose) => {
  const { store, folder } = await closedLog();
  const audit = join(folder, "audit");
  const before = await checkpointOnDisk(folder);
  await lose(audit, await readdir(audit));

  const log = await openTestLog(store, folder);
  expect(log.health()).toMatchObject({ status: "stopped", sentence: /audit log restart --reason/ });
  expect(() => log.checkpoint()).toThrow(/has lost its state/);
  await log.close();
  // A second start changes nothing about it.
  const again = await openTestLog(store, folder);
  expect(again.lost).toBeDefined();
  expect(await checkpointOnDisk(folder)).toBeUndefined();

  await again.restart();
  await untilCovered(again, 300);
  await expect(again.restart()).rejects.toThrow("nothing was lost");
  await again.close();
  await expectSoundFiles(folder, before);
});

it("a log whose first key was made and never signed with begins", async () => {
  const { folder, remove } = temporaryFolder();
  const store = await openTestStore(folder);
  const first = await openTestLog(store, folder);
  const [key] = first.verifierKeys();
  await first.close();
  onTestFinished(async () => {
    await store.close();
    remove();
  });
  // As a process leaves it that was killed after the key and before the first checkpoint.
  const audit = join(folder, "audit");
  await removeAllBut(audit, await readdir(audit), ["key"]);
  await writeFile(join(audit, "unsigned"), "");
  const log = await openTestLog(store, folder);
  expect([log.lost, log.verifierKeys()]).toEqual([undefined, [key]]);
  await log.close();
});

async function removeAllBut(
  directory: string,
  names: readonly string[],
  kept: readonly string[],
): Promise<void> {
  for (const name of names)
    if (!kept.includes(name)) await rm(join(directory, name), { recursive: true, force: true });
}

function temporaryFolder(): { readonly folder: string; readonly remove: () => void } {
  const folder = mkdtempSync(join(tmpdir(), "hostledger-restarted-log-"));
  return {
    folder,
    remove() {
      rmSync(folder, { recursive: true });
    },
  };
}
