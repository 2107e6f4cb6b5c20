import type { Position } from "@hostledger/store";
import { expect, test, vi } from "vitest";

import type { ReadModelDatabase } from "../read-model-database.ts";
import { openPlans, startProjector, temporaryLocation, type PlanSchema } from "../testing/harness.fixture.ts";
import { InMemoryEventStore } from "../testing/in-memory-event-store.ts";
import { listed, offerList, planList, praised, priced, store } from "../testing/plans.fixture.ts";

const waitMs = 10_000;

async function storedPositions({
  storage,
}: ReadModelDatabase<PlanSchema>): Promise<ReadonlyMap<string, Position>> {
  const checkpoints = await storage.exclusively(() => storage.checkpoints.all());
  return new Map(checkpoints.map(({ projection, position }) => [projection, position]));
}

test("events without tables move the checkpoints only if other processes read them", async () => {
  const eventStore = new InMemoryEventStore();
  const database = await openPlans(await temporaryLocation());
  const { projector } = await startProjector(eventStore, database, [planList, offerList]);
  const { position: row } = await store(eventStore, listed(1));
  await projector.after(row, { limitMs: waitMs });
  const { position } = await store(eventStore, praised(1));
  await expect(projector.after(position, { limitMs: waitMs })).resolves.toBe(true);
  expect(projector.health().map((each) => each.position)).toEqual([position, position]);
  const stored = database.storage.isWatched ? position : row;
  expect([...(await storedPositions(database)).values()]).toEqual([stored, stored]);
});

test("checkpoints that move alone need no transaction", async () => {
  const eventStore = new InMemoryEventStore();
  const database = await openPlans(await temporaryLocation());
  const { projector } = await startProjector(eventStore, database, [planList, offerList]);
  const { position: row } = await store(eventStore, listed(1));
  await projector.after(row, { limitMs: waitMs });
  const transaction = vi.spyOn(database.storage, "transaction");
  const { position } = await store(eventStore, praised(1));
  await expect(projector.after(position, { limitMs: waitMs })).resolves.toBe(true);
  expect(transaction).not.toHaveBeenCalled();
});

test("the next rows store every checkpoint too, and the next start continues from there", async () => {
  const eventStore = new InMemoryEventStore();
  const location = await temporaryLocation();
  const first = await openPlans(location);
  const { projector, stop } = await startProjector(eventStore, first, [planList, offerList]);
  const { position: quiet } = await store(eventStore, listed(1), praised(1));
  await projector.after(quiet, { limitMs: waitMs });
  const { position: row } = await store(eventStore, priced(1, "100"));
  await projector.after(row, { limitMs: waitMs });
  expect([...(await storedPositions(first)).values()]).toEqual([row, row]);
  const { position: last } = await store(eventStore, praised(1), praised(1));
  await projector.after(last, { limitMs: waitMs });
  await stop();
  await first.close();

  const subscribe = vi.spyOn(eventStore, "subscribe");
  const second = await openPlans(location);
  const next = await startProjector(eventStore, second, [planList, offerList]);
  const from = second.storage.isWatched ? last : row;
  expect(subscribe).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ from }));
  expect(next.projector.health().map(({ position }) => position)).toEqual([last, last]);
  expect(await second.queries.selectFrom("plans").select(["id", "price_cents"]).execute()).toEqual([
    { id: 1, price_cents: 100 },
  ]);
});

test("checkpoints are never a thousand events behind", async () => {
  const eventStore = new InMemoryEventStore();
  const database = await openPlans(await temporaryLocation());
  const { projector } = await startProjector(eventStore, database, [planList, offerList], { batchSize: 300 });
  const { position } = await store(eventStore, listed(1), ...new Array<number>(2_500).fill(1).map(praised));
  await projector.after(position, { limitMs: waitMs });
  for (const stored of (await storedPositions(database)).values())
    expect(stored).toBeGreaterThan(position - 1_000n);
});
