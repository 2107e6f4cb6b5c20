import { describe, expect, test, vi } from "vitest";

import type { Projection } from "../projection.ts";
import { InMemoryEventStore } from "../testing/in-memory-event-store.ts";
import { openPlans, startProjector, temporaryLocation } from "../testing/harness.fixture.ts";
import {
  listed,
  offerList,
  planList,
  priced,
  retired,
  store,
  storeRaw,
  type PlanEvent,
  type planTables,
} from "../testing/plans.fixture.ts";

const waitMs = 10_000;
const word = {
  reason: "Not ours.",
  at: "2026-03-01T10:00:00.000000Z",
  context: { correlationId: "c-1", actor: "staff:ada" },
};

/** Takes no retirement, and notices it when half of the row is written. */
const touchy: Projection<PlanEvent, typeof planTables> = {
  ...planList,
  handlers: {
    ...planList.handlers,
    PlanRetired: (db, { event }) => {
      db.update("plans", { id: event.data.planId }, { title: "half" });
      throw new Error("no plan retires here");
    },
  },
};

/** A store with a plan that was listed, retired and priced. */
async function storeWithRetirement(): Promise<{ eventStore: InMemoryEventStore; at: bigint; last: bigint }> {
  const eventStore = new InMemoryEventStore();
  await store(eventStore, listed(1, "Small"));
  const { position: at } = await store(eventStore, retired(1));
  const { position: last } = await store(eventStore, priced(1, "300"));
  return { eventStore, at, last };
}

describe("an event that staff let a read model go past", () => {
  test("is left out whole, as a fact, and the rest of the log is taken", async () => {
    const eventStore = new InMemoryEventStore();
    const database = await openPlans(await temporaryLocation());
    const { projector } = await startProjector(eventStore, database, [touchy, offerList]);
    await store(eventStore, listed(1, "Small"));
    const { position } = await store(eventStore, retired(1), priced(1, "300"));
    await expect(projector.waitFor(position, waitMs)).resolves.toBe(false);

    const skipped = await projector.skip("plan_list", 1n, word);
    expect(skipped).toMatchObject({
      projection: "plans.plan_list",
      version: 1,
      position: "1",
      eventType: "PlanRetired.v1",
      stream: "plan-1",
      reason: "Not ours.",
      skippedAt: word.at,
    });
    await vi.waitFor(() => expect(projector.waitFor(position, waitMs)).resolves.toBe(true));
    expect(await database.queries.selectFrom("plans").select(["title", "price_cents"]).execute()).toEqual([
      { title: "Small", price_cents: 300 },
    ]);
    expect((await projector.status())[0]).toMatchObject({ state: "live", skipped: [skipped] });
    const facts: string[] = [];
    for await (const { type } of eventStore.read("projection-plans.plan_list")) facts.push(type);
    expect(facts).toEqual(["ProjectionEventSkipped.v1"]);
    await expect(projector.rebuild("plan_list")).resolves.toMatchObject([{ equal: true }]);
  });

  test("lets the first build end, too", async () => {
    const { eventStore, at, last } = await storeWithRetirement();
    const database = await openPlans(await temporaryLocation());
    const { projector } = await startProjector(eventStore, database, [touchy]);
    expect(projector.health()).toMatchObject([{ state: "parked" }]);
    await projector.skip("plan_list", at, word);
    await vi.waitFor(() => expect(projector.waitFor(last, waitMs)).resolves.toBe(true));
  });

  test("is gone past by the next start as well, and taken by a version that can", async () => {
    const { eventStore, at, last } = await storeWithRetirement();
    const location = await temporaryLocation();
    const first = await openPlans(location);
    const { projector, stop } = await startProjector(eventStore, first, [touchy]);
    await projector.skip("plan_list", at, word);
    await vi.waitFor(() => expect(projector.waitFor(last, waitMs)).resolves.toBe(true));
    await stop();

    const again = await startProjector(eventStore, first, [touchy]);
    await expect(again.projector.waitFor(last, waitMs)).resolves.toBe(true);
    expect(again.projector.health()).toMatchObject([{ state: "live" }]);
    await again.stop();

    const later = await startProjector(eventStore, first, [{ ...planList, version: 2 }]);
    await expect(later.projector.waitFor(last, waitMs)).resolves.toBe(true);
    expect(await first.queries.selectFrom("plans").select("retired").execute()).toEqual([{ retired: 1 }]);
  });

  test("is the one that it stands still at, and no other", async () => {
    const eventStore = new InMemoryEventStore();
    const database = await openPlans(await temporaryLocation());
    const { projector } = await startProjector(eventStore, database, [planList, offerList]);
    const { position } = await storeRaw(eventStore, "SomethingForeign.v1", "{}");
    await expect(projector.waitFor(position, waitMs)).resolves.toBe(false);
    for (const [name, at] of [
      ["plan_list", position + 1n],
      ["nobody", position],
    ] as const)
      await expect(projector.skip(name, at, word)).rejects.toThrow(`${name} does not stand still at`);
    // The first word lets both try again, so that the other stands still a moment later.
    for (const name of ["plan_list", "offer_list"])
      await vi.waitFor(() => projector.skip(name, position, word));
    await vi.waitFor(() => {
      expect(projector.health().map(({ state }) => state)).toEqual(["live", "live"]);
    });
  });
});
