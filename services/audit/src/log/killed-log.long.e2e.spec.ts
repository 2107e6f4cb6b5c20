import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

import { realTiming } from "@hostledger/runtime";
import { directoryOfSuite } from "@hostledger/runtime/testing";
import { expect, it } from "vitest";

import { expectSoundFiles, openTestLog, openTestStore, untilCovered } from "./audit-log.fixture.ts";

const program = fileURLToPath(new URL("writing-log.fixture.ts", import.meta.url));
const rounds = 5;

const folder = directoryOfSuite();

/** Lets a process write for a time after it began to follow, then kills it. */
async function writeAndKill(writeMs: number): Promise<void> {
  const child = spawn(process.execPath, [program, folder], { stdio: ["ignore", "pipe", "inherit"] });
  const ended = once(child, "exit");
  try {
    const isFollowing = once(child.stdout, "data").then(() => true);
    expect(await Promise.race([isFollowing, ended.then(() => false)])).toBe(true);
    await realTiming.sleep(writeMs);
  } finally {
    child.kill("SIGKILL");
    await ended;
  }
}

it("continues after each kill, consistent with the published part", async () => {
  let earlier: Awaited<ReturnType<typeof expectSoundFiles>>;
  // A slow machine may not have published anything yet.
  for (let round = 1; round <= rounds || (earlier?.size ?? 0) === 0; round += 1) {
    await writeAndKill(150 + round * 73);
    earlier = await expectSoundFiles(folder, earlier);
  }
  expect(earlier?.size).toBeGreaterThan(0);
  const store = await openTestStore(folder);
  const log = await openTestLog(store, folder);
  await untilCovered(log, Number(await store.lastPosition()));
  await log.close();
  await store.close();
  await expectSoundFiles(folder, earlier);
});
