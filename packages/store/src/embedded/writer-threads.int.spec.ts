import { once } from "node:events";
import { writeFileSync } from "node:fs";

import { expect, it, onTestFinished } from "vitest";

import { EventStoreFailedError } from "../event-store.port.ts";
import { openTestStore, temporaryStorePath } from "./test-store.fixture.ts";
import { giveBackThread, takeThread } from "./writer-threads.ts";

const event = { id: "00000000-0000-4000-8000-000000000001", type: "Noted.v1", data: "{}", metadata: "{}" };

it("a thread writes one store after the other, each to its own file", async () => {
  const paths = [temporaryStorePath(), temporaryStorePath()];
  for (const position of [1n, 2n]) {
    for (const path of paths) {
      const store = await openTestStore(path);
      const revision = position === 1n ? "no-stream" : position - 2n;
      await expect(store.append("noted-1", revision, [event])).resolves.toMatchObject({ position });
      await store.close();
    }
  }
});

it("a returned thread is the next to be used, unless it has ended", async () => {
  const thread = takeThread();
  giveBackThread(thread);
  expect(takeThread()).toBe(thread);
  giveBackThread(thread);
  const ended = once(thread, "exit");
  await thread.terminate();
  await ended;
  const next = takeThread();
  expect(next).not.toBe(thread);
  giveBackThread(next);
});

it("a store that cannot be opened ends its thread, and does not affect the others", async () => {
  const foreign = temporaryStorePath();
  writeFileSync(foreign, "no store at all, but long enough that SQLite looks at it".repeat(20));
  await expect(openTestStore(foreign)).rejects.toBeInstanceOf(EventStoreFailedError);
  const store = await openTestStore(temporaryStorePath());
  onTestFinished(() => store.close());
  await expect(store.append("noted-1", "no-stream", [event])).resolves.toMatchObject({ position: 1n });
});

it("closing twice returns the thread once", async () => {
  const store = await openTestStore(temporaryStorePath());
  await Promise.all([store.close(), store.close()]);
  await store.close();
  const [first, second] = [takeThread(), takeThread()];
  expect(first).not.toBe(second);
  giveBackThread(first);
  giveBackThread(second);
});
