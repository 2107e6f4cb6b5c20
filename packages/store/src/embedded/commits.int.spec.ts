import { join } from "node:path";

import { directoryOfTest } from "@hostledger/runtime/testing";
import { expect, it, onTestFinished } from "vitest";

import { openTestStore, temporaryStorePath } from "./test-store.fixture.ts";
import type { Commit } from "./writer-client.ts";

it("reports the number of events and the duration of every commit", async () => {
  const directory = directoryOfTest();
  const commits: Commit[] = [];
  const store = await openTestStore(join(directory, "events.sqlite"), {
    onCommitted: (commit) => commits.push(commit),
  });
  onTestFinished(() => store.close());
  const event = (id: number) => ({
    id: `00000000-0000-4000-8000-00000000000${String(id)}`,
    type: "Something.v1",
    data: "{}",
    metadata: "{}",
  });
  // Appends of one turn are sent to the writer together.
  await Promise.all([
    store.append("a-1", "no-stream", [event(1), event(2)]),
    store.append("a-2", "any", [event(3)]),
  ]);
  expect(commits).toEqual([{ events: 3, seconds: expect.any(Number) }]);

  // A repeated append gets the earlier answer and adds nothing.
  await store.append("a-2", "any", [event(3)]);
  expect(commits.map(({ events }) => events)).toEqual([3, 0]);
});

it("begins with the first of many appends of a turn, and stores all of them in their order", async () => {
  const commits: Commit[] = [];
  const store = await openTestStore(temporaryStorePath(), { onCommitted: (commit) => commits.push(commit) });
  onTestFinished(() => store.close());
  const number = 100;
  const stored = await Promise.all(
    Array.from({ length: number }, (_, index) => {
      // Each append follows an earlier append of its stream, in an earlier or the same request.
      const expected = index < 7 ? "no-stream" : BigInt(Math.floor(index / 7) - 1);
      const event = { id: crypto.randomUUID(), type: "Something.v1", data: "{}", metadata: "{}" };
      return store.append(`a-${String(index % 7)}`, expected, [event]);
    }),
  );
  expect(stored.map(({ position }) => position)).toEqual(
    Array.from({ length: number }, (_, index) => BigInt(index + 1)),
  );
  expect(commits.reduce((sum, { events }) => sum + events, 0)).toBe(number);
});
