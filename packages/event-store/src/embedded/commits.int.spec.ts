import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { expect, it, onTestFinished } from "vitest";

import { openTestStore } from "./test-store.fixture.ts";
import type { Commit } from "./writer-client.ts";

it("tells of every commit how many events it made durable, and how long that took", async () => {
  const directory = mkdtempSync(join(tmpdir(), "hostledger-commits-"));
  const commits: Commit[] = [];
  const store = await openTestStore(join(directory, "events.sqlite"), {
    onCommitted: (commit) => commits.push(commit),
  });
  onTestFinished(async () => {
    await store.close();
    rmSync(directory, { recursive: true });
  });
  const event = (id: number) => ({
    id: `00000000-0000-4000-8000-00000000000${String(id)}`,
    type: "Something.v1",
    data: "{}",
    metadata: "{}",
  });
  // Appends of one turn go to the writer together.
  await Promise.all([
    store.append("a-1", "no-stream", [event(1), event(2)]),
    store.append("a-2", "any", [event(3)]),
  ]);
  expect(commits).toEqual([{ events: 3, seconds: expect.any(Number) }]);

  // What was stored before is answered again, and adds nothing.
  await store.append("a-2", "any", [event(3)]);
  expect(commits.map(({ events }) => events)).toEqual([3, 0]);
});
