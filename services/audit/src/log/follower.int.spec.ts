import { Worker } from "node:worker_threads";

import { directoryOfTest } from "@hostledger/runtime/testing";
import { expect, it, onTestFinished, vi } from "vitest";

import { appendEvents, openTestStore } from "./audit-log.fixture.ts";
import { createFollower } from "./follower.ts";
import { logFiles } from "./log-files.ts";
import { createPositions } from "./positions.ts";
import { createTileStore } from "./tile-store.ts";

const appends = 5;

it("makes the leaf of an event once the store's writer has the append after it", async () => {
  const folder = directoryOfTest();
  const store = await openTestStore(folder);
  const files = logFiles(folder);
  const tiles = createTileStore(files);
  const caughtUp = Promise.withResolvers<undefined>();
  const follower = await createFollower({
    store,
    parts: { tiles, positions: createPositions(files) },
    mender: { mend: () => Promise.resolve(true) },
    writeAhead: () => Promise.resolve(),
    onCaughtUp: () => {
      caughtUp.resolve(undefined);
    },
  });
  const stopping = new AbortController();
  const following = follower.follow(stopping.signal);
  await caughtUp.promise;
  const posted = vi.spyOn(Worker.prototype, "postMessage");
  const made = vi.spyOn(tiles, "append");
  onTestFinished(async () => {
    posted.mockRestore();
    stopping.abort();
    await following;
    await store.close();
  });

  for (let append = 0; append < appends; append += 1) await appendEvents(store, 1);
  await expect.poll(() => tiles.size).toBe(appends);
  const [, ...nextPosted] = posted.mock.invocationCallOrder;
  expect(nextPosted).toHaveLength(appends - 1);
  const tooEarly = nextPosted.filter((at, index) => (made.mock.invocationCallOrder[index] ?? 0) < at);
  expect(tooEarly).toEqual([]);
});
