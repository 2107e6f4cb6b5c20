import { copyFileSync } from "node:fs";
import { join } from "node:path";

import { retentionAggregate } from "@hostledger/core";
import { InMemoryEventStore } from "@hostledger/read/testing";
import { manualClock, silentLogger } from "@hostledger/runtime";
import { directoryOfTest } from "@hostledger/runtime/testing";
import { createCommandHandler } from "@hostledger/store";
import { openSqliteSubjectKeys } from "@hostledger/store/personal-data";
import { expect, it, onTestFinished } from "vitest";

import { endTerms } from "./retention.ts";

const soon = "2026-03-01T10:00:00.000000Z";
const over = "2035-01-02T00:00:00.000000Z";

async function openHarness() {
  const directory = directoryOfTest();
  const path = join(directory, "subject-keys.sqlite");
  const keys = openSqliteSubjectKeys({ path });
  onTestFinished(() => keys.close());
  for (const subject of ["account-7", "retention-7-2034", "retention-7-2035", "retention-8-2034"])
    await keys.obtain(subject);
  const commands = createCommandHandler({ store: new InMemoryEventStore(), recordedBy: "spec" });
  const round = (now: string, isTimeTrusted = true, of: Parameters<typeof endTerms>[0]["keys"] = keys) =>
    endTerms({
      commands,
      keys: of,
      clock: manualClock(now),
      isTimeTrusted: () => isTimeTrusted,
      logger: silentLogger(),
    });
  const left = async (): Promise<readonly string[]> =>
    (await keys.retained({})).map(({ accountId, year }) => `${String(accountId)}-${String(year)}`);
  let commanded = 0;
  const execute = (command: Parameters<typeof retentionAggregate.decider.decide>[0]) =>
    commands.execute(retentionAggregate, "all", command, {
      commandId: `spec/${String((commanded += 1))}`,
      correlationId: "spec",
      actor: "spec",
    });
  return { path, keys, commands, round, left, execute };
}

it("destroys the keys of an ended term, and no others", async () => {
  const { keys, commands, round, left } = await openHarness();
  await round(soon);
  await round("2035-01-01T12:00:00.000000Z");
  expect(await left()).toEqual(["7-2034", "8-2034", "7-2035"]);
  // While nothing has ended, nothing is recorded.
  expect((await commands.load(retentionAggregate, "all")).state.endedYear).toBe(0);
  await round(over);
  expect(await left()).toEqual(["7-2035"]);
  expect((await commands.load(retentionAggregate, "all")).state.endedYear).toBe(2034);
  expect((await keys.find(["account-7"])).get("account-7")).toBeInstanceOf(Uint8Array);
  expect((await keys.find(["retention-7-2034"])).get("retention-7-2034")).toBe("destroyed");
});

it("destroys nothing early while the clock may be wrong", async () => {
  const { round, left } = await openHarness();
  await round("2099-01-02T00:00:00.000000Z", false);
  expect(await left()).toHaveLength(3);
});

it("destroys keys again that a backup brought back, even while the clock may be wrong", async () => {
  const { path, round, left } = await openHarness();
  const backup = `${path}.backup`;
  copyFileSync(path, backup);
  await round(over);
  expect(await left()).toEqual(["7-2035"]);
  const restored = openSqliteSubjectKeys({ path: backup });
  onTestFinished(() => restored.close());
  expect(await restored.retained({ throughYear: 2034 })).toHaveLength(2);
  await round(soon, false, restored);
  expect(await restored.retained({ throughYear: 2034 })).toEqual([]);
});

it("retains keys under a hold until its release or last day, and destroys none while the clock is not trusted", async () => {
  const { round, left, execute } = await openHarness();
  const place = (accountId: number, until: string | null) =>
    execute({ type: "PlaceLegalHold", data: { accountId, reason: "Lawsuit", until, at: soon } });
  await place(7, "2036-06-30");
  await place(8, null);
  await round("2036-01-02T00:00:00.000000Z");
  expect(await left()).toEqual(["7-2034", "8-2034", "7-2035"]);
  await round("2037-01-02T00:00:00.000000Z", false);
  expect(await left()).toEqual(["7-2034", "8-2034", "7-2035"]);
  await round("2036-07-01T00:00:00.000000Z");
  expect(await left()).toEqual(["8-2034"]);
  await execute({ type: "ReleaseLegalHold", data: { accountId: 8, reason: "Judgement", at: over } });
  await round("2036-07-01T00:00:00.000000Z");
  expect(await left()).toEqual([]);
});
