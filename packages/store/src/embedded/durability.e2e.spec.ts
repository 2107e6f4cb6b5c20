import { join } from "node:path";
import { realTiming, type CallOff } from "@hostledger/runtime/async";
import { directoryOfTest } from "@hostledger/runtime/testing";
import { beforeEach, expect, it } from "vitest";

import {
  acknowledged,
  childProgram,
  startProcess,
  storedIds,
  type Acknowledged,
} from "./durable-writers.fixture.ts";
import { openTestStore } from "./test-store.fixture.ts";

let folder = "";
beforeEach(() => {
  folder = directoryOfTest();
});

async function expectStored(path: string, answers: readonly Acknowledged[]): Promise<void> {
  const store = await openTestStore(path);
  const stored = await storedIds(store);
  const lost = answers.filter(({ stream, revision, id }) => stored.get(stream)?.[revision] !== id);
  expect(lost).toEqual([]);
  await store.close();
}

it("loses no acknowledged event when 64 writers are killed at random moments", async () => {
  const path = join(folder, "events.sqlite");
  const answers: Acknowledged[] = [];
  for (let round = 0; round < 6; round += 1) {
    const lifeMilliseconds = Math.random() * 300;
    let killing: CallOff | undefined;
    const command = [process.execPath, childProgram, path, "64", "1000000", String(round)] as const;
    const { lines, code } = await startProcess([...command], (_, child) => {
      killing ??= realTiming.after(lifeMilliseconds, () => child.kill("SIGKILL"));
    });
    expect(code, "the process ended by the signal, not by itself").toBeNull();
    answers.push(...acknowledged(lines));
    await expectStored(path, answers);
  }
  expect(answers.length).toBeGreaterThan(6);
});

it("refuses the append whose write fails, reports it once, and has all acknowledged ones", async () => {
  const path = join(folder, "events.sqlite");
  // A file size limit needs no privilege. SQLite sees a failing disk, after which nothing may be written. For a full disk
  // see `disk-full.int.spec.ts`.
  const limited = `ulimit -f 1500; exec "$0" "$@"`;
  const child = [process.execPath, childProgram, path, "8", "1000000"];
  const { lines, code } = await startProcess(["/bin/sh", "-c", limited, ...child], () => undefined);
  const answers = acknowledged(lines);
  expect(code).toBe(0);
  expect(answers.length).toBeGreaterThan(100);
  expect(lines.filter((line) => line.startsWith("failure the event store stopped writing: "))).toHaveLength(
    1,
  );
  expect(lines.filter((line) => line === "refused EventStoreUnavailableError")).toHaveLength(8);
  await expectStored(path, answers);

  const store = await openTestStore(path);
  const events = [
    { id: "6ba7b810-9dad-41d1-80b4-00c04fd430c8", type: "Written.v1", data: "{}", metadata: "{}" },
  ];
  expect(await store.append("writer-new", "no-stream", events)).toMatchObject({ revision: 0n });
  await store.close();
});
