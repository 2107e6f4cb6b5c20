import { eventLoopByHand } from "@hostledger/runtime/testing";
import { expect, it, vi } from "vitest";

import { openPlans, startProjector, temporaryPath } from "../testing/harness.fixture.ts";
import { InMemoryEventStore } from "../testing/in-memory-event-store.ts";
import { listed, planList, store } from "../testing/plans.fixture.ts";

/** Starts a projector over a database without another process, whatever engine the tests use. */
async function start() {
  const eventStore = new InMemoryEventStore();
  const database = await openPlans({ kind: "sqlite", path: temporaryPath() });
  const { loop, turn } = eventLoopByHand();
  const { projector } = await startProjector(eventStore, database, [planList], { eventLoop: loop });
  const commits = vi.spyOn(database.storage, "transaction");
  let plans = 0;
  /** Stores events. @returns the position of the last event */
  async function offer(count: number): Promise<bigint> {
    const events = Array.from({ length: count }, (_, index) => listed(plans + index + 1));
    plans += count;
    const { position } = await store(eventStore, ...events);
    return position;
  }
  return { projector, commits, offer, turn };
}

it("gathers events while other work keeps the thread busy, after events that came together", async () => {
  const { projector, commits, offer, turn } = await start();
  await projector.after(await offer(10), { limitMs: 10_000 });
  commits.mockClear();
  const last = projector.after((await offer(1), await offer(1), await offer(1)), { limitMs: 10_000 });
  await turn(3);
  await turn(3);
  expect(commits).not.toHaveBeenCalled();
  // The first turn of the event loop without other work.
  await turn(0.05);
  await expect(last).resolves.toBe(true);
  expect(commits).toHaveBeenCalledOnce();
});

it("pauses at most 20 ms", async () => {
  const { projector, offer, turn } = await start();
  await projector.after(await offer(10), { limitMs: 10_000 });
  const last = projector.after(await offer(1), { limitMs: 10_000 });
  for (const milliseconds of [7, 7, 7]) await turn(milliseconds);
  await expect(last).resolves.toBe(true);
});

it("does not rest after the events of a single order", async () => {
  const { projector, offer } = await start();
  await projector.after(await offer(5), { limitMs: 10_000 });
  await expect(projector.after(await offer(1), { limitMs: 10_000 })).resolves.toBe(true);
});
